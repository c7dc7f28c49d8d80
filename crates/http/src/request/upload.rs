//! The extractor of a form with a file and options.

use std::time::Duration;

use axum::{
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, Multipart, Request, multipart::MultipartError},
    http::{HeaderMap, StatusCode, header},
};
use fracti_core::input::{Draft, Field, FieldErrors, Limit, Unreadable};
use fracti_texts::{message, rule};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::{
    app::App,
    request::{
        body::{self, Body},
        description::{Described, Description},
        once::{Head, IdempotencyKey},
        text::{shortened, unknown_field},
    },
    response::{
        limits::MAX_UPLOAD_MIB,
        problem::{Code, Problem},
    },
};

/// Name of the part with the file.
const FILE: &str = "file";

/// Name of the part with the options.
const OPTIONS: &str = "options";

/// Maximum size of a file, in bytes.
const MAX_FILE: usize = MAX_UPLOAD_MIB * 1024 * 1024;

/// Maximum size of the rest of a form, in bytes: the options and the headers of the parts.
const MAX_REST: usize = 64 * 1024;

/// Time limit for receiving a form. On Lambda it arrives with the event; elsewhere the limit closes
/// stalled requests.
const FORM_TIMEOUT: Duration = Duration::from_secs(10);

/// A POST request with a form of two parts: `file`, and `options` as JSON, which may be omitted if
/// no option is required.
#[derive(Debug)]
pub struct Upload<T: Body> {
    /// The file and the options. Their errors are reported only after the table has checked whether
    /// the caller may make the request.
    pub form: Draft<Form<T::Fields>>,
    /// The idempotency key, if there is one.
    pub key: IdempotencyKey,
}

/// The parts of a form.
#[derive(Debug)]
pub struct Form<T> {
    /// The bytes of the file.
    pub file: Bytes,
    /// The options.
    pub options: T,
}

/// The parts of a form before the options are read.
#[derive(Default)]
struct Parts {
    file: Option<Bytes>,
    options: Option<Bytes>,
    errors: FieldErrors,
}

impl<T: Body> FromRequest<App> for Upload<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, mut request) = Head::of(request, app).await?;
        DefaultBodyLimit::max(MAX_FILE + MAX_REST).apply(&mut request);
        let form = match Multipart::from_request(request, app).await {
            Ok(form) if is_form(&head.headers) => form,
            Ok(_) | Err(_) => {
                let form = Draft::unreadable(Unreadable::Form);
                return Ok(Self { form, key: head.key(&[]) });
            }
        };
        let late = |_| {
            let seconds = FORM_TIMEOUT.as_secs();
            Problem::invalid(
                "body",
                message!(
                    "the body did not arrive within {seconds} seconds",
                    "тело запроса не пришло за {seconds} с"
                ),
            )
        };
        let read = timeout(FORM_TIMEOUT, Parts::read(form)).await.map_err(late)??;
        // A repeated request may have another boundary between the parts.
        let hash = |part: &Option<Bytes>| Sha256::digest(part.as_deref().unwrap_or_default());
        let contents = [hash(&read.file), hash(&read.options)].concat();
        Ok(Self { key: head.key(&contents), form: read.form::<T>() })
    }
}

/// The form's schema. Each part is text, because generators of clients do not agree on how a part
/// is sent that is an object.
impl<T: Body> Described for Upload<T> {
    fn describe(request: &mut Description) {
        let options = body::describe::<T>(request);
        let mark = request.mark();
        let about =
            format!("The file, as the other app exported it, of at most {MAX_UPLOAD_MIB} MiB.");
        let file = json!({ "type": "string", "format": "binary", "description": about });
        request.field(FILE, file, true);
        let text = json!({
            "type": "string", "description": format!("The JSON of `{}`, as text.", T::NAME),
            "contentMediaType": "application/json", "contentSchema": options,
        });
        request.field(OPTIONS, text, T::empty().is_none());
        let about = "A file to import, and the options.";
        let schema = request.take_object(mark, "ImportForm", about, None);
        request.body("multipart/form-data", true, &schema);
    }
}

/// Whether the content type is `multipart/form-data`, with any parameters.
fn is_form(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("multipart/form-data")
}

impl Parts {
    /// Receives the parts. After the first one that is unknown or given twice, the rest is ignored.
    async fn read(mut form: Multipart) -> Result<Self, Problem> {
        let mut parts = Self::default();
        loop {
            let part = match form.next_field().await {
                Ok(Some(part)) => part,
                Ok(None) => return Ok(parts),
                Err(error) => return parts.stopped(&error),
            };
            let name = part.name().unwrap_or_default().to_owned();
            let place = match &*name {
                FILE => &mut parts.file,
                OPTIONS => &mut parts.options,
                _ => {
                    let name = shortened(&name).into_owned();
                    let rule = unknown_field(&name, &[FILE, OPTIONS]);
                    parts.errors.push(&*name, rule);
                    return Ok(parts);
                }
            };
            if place.is_some() {
                parts.errors.push(
                    &*name,
                    rule!("{field} must be given only once", "указывайте {field} только один раз"),
                );
                return Ok(parts);
            }
            let is_named = part.file_name().is_some_and(|name| !name.is_empty());
            let bytes = match part.bytes().await {
                Ok(bytes) => bytes,
                Err(error) => return parts.stopped(&error),
            };
            // A browser sends an empty part without a name if no file was chosen.
            if name == FILE && bytes.is_empty() && !is_named {
                continue;
            }
            let limit = if name == FILE { MAX_FILE } else { MAX_REST };
            if bytes.len() > limit {
                return Err(too_large());
            }
            *place = Some(bytes);
        }
    }

    /// The parts before an error. A form that is too large is refused.
    fn stopped(mut self, error: &MultipartError) -> Result<Self, Problem> {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return Err(too_large());
        }
        self.errors.push(
            "body",
            message!(
                "the body is not a form: {reason}",
                "тело запроса — не форма: {reason}",
                reason = error.body_text()
            ),
        );
        Ok(self)
    }

    /// The file and the options.
    fn form<T: Body>(self) -> Draft<Form<T::Fields>> {
        let Self { file, options, errors } = self;
        if !errors.is_empty() {
            return Draft::new(Field::Invalid, errors);
        }
        let (options, mut errors) = match options {
            Some(json) => body::read_json::<T>(OPTIONS.into(), &json).unwrap_or_else(|reason| {
                let mut errors = FieldErrors::default();
                errors.push(
                    OPTIONS,
                    rule!(
                        "{field} must be JSON: {reason}",
                        "{field} должно быть в формате JSON: {reason}",
                        [reason]
                    ),
                );
                (Field::Invalid, errors)
            }),
            None => (Field::Absent, FieldErrors::default()),
        };
        let options = match options {
            Field::Absent => T::empty().map_or(Field::Invalid, Field::Value),
            options => options,
        };
        if file.is_none() {
            errors.push(FILE, message!("no file was chosen", "файл не выбран"));
        }
        let form = match (file, options) {
            (Some(file), Field::Value(options)) => Field::Value(Form { file, options }),
            (_, Field::Absent | Field::Invalid) | (None, Field::Value(_)) => Field::Invalid,
        };
        Draft::new(form, errors)
    }
}

fn too_large() -> Problem {
    let message = message!(
        "file must have at most {MAX_UPLOAD_MIB} MiB, and the rest of the form at most {rest} KiB",
        "файл должен быть не больше {MAX_UPLOAD_MIB} МиБ, а остальная часть формы — не больше \
         {rest} КиБ",
        rest = MAX_REST / 1024
    );
    Problem::new(Code::PayloadTooLarge, message).of_limit(Limit::FileSize)
}
