//! The Russian texts of error messages.

/// The templates of all messages in English, each with its Russian text. The names of placeholders
/// say what they stand for:
///
/// | placeholder | stands for |
/// |---|---|
/// | `{field}` | the path of a field, a quote, or a subject of [`SUBJECTS`] |
/// | `{place}` | a path that is no subject |
/// | `{rule}`, `{more}` | another message, which is translated, too |
/// | `{words}` | words, of which the last ones may have an "or" between them |
/// | others | any text, which is kept |
///
/// A path at the start of a Russian text is introduced by the word "значение", so that the text
/// agrees with any name.
pub(super) const TEXTS: &[(&str, &str)] = &[
    // Access and authentication.
    ("send init data or an API token", "отправьте init data или токен API"),
    ("send either init data or one API token", "отправьте либо init data, либо один токен API"),
    (
        "the request must not have two different values of init data",
        "в запросе не должно быть двух разных значений init data",
    ),
    ("the request is not authenticated", "запрос не прошёл проверку подлинности"),
    ("the init data is not UTF-8", "init data не в кодировке UTF-8"),
    (
        "the init data is incomplete, or was joined with another one",
        "init data неполные или склеены с другими",
    ),
    (
        "the init data is not signed by Telegram for this bot: it was changed, or is of another \
         bot",
        "init data не подписаны Telegram для этого бота: они изменены или принадлежат другому боту",
    ),
    ("the init data has expired", "срок действия init data истёк: откройте приложение заново"),
    (
        "the init data was decoded; send window.Telegram.WebApp.initData as it is",
        "init data раскодированы; отправьте window.Telegram.WebApp.initData как есть",
    ),
    (
        "the auth_date of the init data is in the future",
        "время auth_date в init data ещё не наступило",
    ),
    ("the init data has no user", "в init data нет пользователя"),
    (
        "the init data must have a chat_instance: open the Mini App by a link in a chat",
        "в init data должен быть chat_instance: откройте мини-приложение по ссылке в чате",
    ),
    ("the API token is not one of this bot", "этот токен API не от этого бота"),
    (
        "the API token was deleted or has expired; create another one",
        "токен API удалён или истёк; создайте новый",
    ),
    ("the API token does not have the {scope} scope", "у токена API нет права {scope}"),
    (
        "{field} must have `browser` alone, of all groups, and not by such a token",
        "в {field} право `browser` должно быть одно, для всех групп и не через такой токен",
    ),
    (
        "{field} must be within 10 minutes for a link, 30 days for a browser",
        "{field} должно быть в пределах 10 минут для ссылки, 30 дней для браузера",
    ),
    (
        "the API token is limited to another group",
        "этот токен API действует только в другой группе",
    ),
    ("the API token does not exist", "токен API не найден"),
    (
        "a user must have at most {most} API tokens",
        "токенов API у пользователя может быть не больше {most}",
    ),
    (
        "the daily limit of {limit} reads is reached; it resets at {time} UTC",
        "дневной лимит чтений ({limit}) исчерпан; он обновится в {time} UTC",
    ),
    (
        "the daily limit of {limit} writes is reached; it resets at {time} UTC",
        "дневной лимит изменений ({limit}) исчерпан; он обновится в {time} UTC",
    ),
    // Requests.
    ("the path does not exist", "такого пути нет"),
    ("the path does not support the method", "этот путь не поддерживает такой метод"),
    (
        "the body must be sent as `Content-Type: application/json`",
        "тело запроса нужно отправить с `Content-Type: application/json`",
    ),
    (
        "the body must be sent as `Content-Type: multipart/form-data` with a boundary",
        "тело запроса нужно отправить с `Content-Type: multipart/form-data` и boundary",
    ),
    ("the body is not JSON: {rule}", "тело запроса — не JSON: {rule}"),
    ("the body is not a form: {reason}", "тело запроса — не форма: {reason}"),
    ("the body did not arrive within {seconds} seconds", "тело запроса не пришло за {seconds} с"),
    ("the body must have at most {size} KiB", "тело запроса должно быть не больше {size} КиБ"),
    (
        "file must have at most {size} MiB, and the rest of the form at most {rest} KiB",
        "файл должен быть не больше {size} МиБ, а остальная часть формы — не больше {rest} КиБ",
    ),
    (
        "the idempotency key was already used for a different request, which was carried out",
        "этот ключ идемпотентности уже использован для другого запроса, и тот выполнен",
    ),
    (
        "Idempotency-Key must be one key of 1 to {most} visible ASCII characters",
        "Idempotency-Key должен быть одним ключом из 1–{most} видимых символов ASCII",
    ),
    (
        "{field} must be an ETag with its quotes, several with commas between them, or *",
        "{field} должно быть ETag в кавычках, несколькими через запятую или *",
    ),
    (
        "{field} must not be sent: the operation compares it with nothing",
        "не отправляйте {field}: операция ни с чем его не сравнивает",
    ),
    (
        "{field} must not have a weak tag, which matches no state: leave out its W/",
        "{field} не должно быть слабым тегом, он не совпадёт ни с чем: уберите W/",
    ),
    (
        "cursor must be of this list, with the same filters",
        "курсор должен быть от этого же списка с теми же фильтрами",
    ),
    (
        "cursor must be of an export with the same members and names: export the group again from \
         its first page",
        "курсор должен быть от выгрузки с теми же участниками и именами: выгрузите группу заново с \
         первой страницы",
    ),
    (
        "the request lost to concurrent writes; nothing was changed, try again",
        "одновременные изменения опередили запрос; ничего не изменено, повторите попытку",
    ),
    (
        "the service is temporarily unavailable; try again",
        "сервис временно недоступен; повторите попытку",
    ),
    ("an internal error occurred", "произошла внутренняя ошибка"),
    (
        "the funds do not match their transactions; an operator has to end what is open",
        "средства не сходятся с их операциями; открытое должен закрыть оператор",
    ),
    (
        "the resource has changed since it was read; read it again",
        "данные изменились с момента чтения; прочитайте их заново",
    ),
    (
        "unknown field {name}; known fields are {known}",
        "неизвестное поле {name}; известные поля: {known}",
    ),
    (
        "unknown field {name}; this object has no fields",
        "неизвестное поле {name}; у этого объекта нет полей",
    ),
    (
        "unknown parameter {name}; known parameters are {known}",
        "неизвестный параметр {name}; известные параметры: {known}",
    ),
    // Parse errors of JSON.
    ("{rule} at line {line} column {column}", "{rule} (строка {line}, столбец {column})"),
    ("EOF while parsing a list", "список не закончен"),
    ("EOF while parsing an object", "объект не закончен"),
    ("EOF while parsing a string", "строка не закончена"),
    ("EOF while parsing a value", "значение не закончено"),
    ("expected `:`", "ожидается `:`"),
    ("expected `,` or `]`", "ожидается `,` или `]`"),
    ("expected `,` or `}`", "ожидается `,` или `}`"),
    ("expected `\"`", "ожидается `\"`"),
    ("expected ident", "ожидается true, false или null"),
    ("expected value", "ожидается значение"),
    ("invalid escape", "недопустимая escape-последовательность"),
    ("invalid number", "недопустимое число"),
    ("number out of range", "число вне допустимого диапазона"),
    ("invalid unicode code point", "недопустимый код Unicode"),
    (
        "control character (\\u0000-\\u001F) found while parsing a string",
        "в строке есть управляющий символ (\\u0000-\\u001F)",
    ),
    ("key must be a string", "ключ должен быть строкой"),
    ("lone leading surrogate in hex escape", "непарный суррогат в escape-последовательности"),
    ("unexpected end of hex escape", "незаконченная escape-последовательность"),
    ("trailing comma", "лишняя запятая в конце"),
    ("trailing characters", "лишние символы в конце"),
    ("recursion limit exceeded", "слишком глубокая вложенность"),
    ("missing field `{name}`", "нет поля `{name}`"),
    ("duplicate field `{name}`", "поле `{name}` указано дважды"),
    ("invalid type: {found}, expected {expected}", "неверный тип: {found}; ожидается {expected}"),
    (
        "invalid value: {found}, expected {expected}",
        "неверное значение: {found}; ожидается {expected}",
    ),
    ("invalid length {found}, expected {expected}", "неверная длина {found}; ожидается {expected}"),
    (
        "unknown variant `{found}`, expected one of {known}",
        "неизвестное значение `{found}`; ожидается одно из {known}",
    ),
    (
        "unknown variant `{found}`, expected {words}",
        "неизвестное значение `{found}`; ожидается {words}",
    ),
    // Fields of any kind.
    ("{field} is required", "укажите {field}"),
    ("{field} is required: {rule}", "укажите {field}: {rule}"),
    ("{field} is missing", "не хватает {field}"),
    ("{field} must be true or false", "{field} должно быть true или false"),
    ("{field} must be a string", "{field} должно быть строкой"),
    ("{field} must be an array", "{field} должно быть массивом"),
    ("{field} must be a JSON object", "{field} должно быть объектом JSON"),
    ("{field} must be a whole number", "{field} должно быть целым числом"),
    (
        "{field} must be a whole number from {least} to {most}",
        "{field} должно быть целым числом от {least} до {most}",
    ),
    ("{field} must be a whole number above 0", "{field} должно быть целым числом больше 0"),
    ("{field} must be a whole number below 2^63", "{field} должно быть целым числом меньше 2^63"),
    ("{field} must be JSON: {rule}", "{field} должно быть в формате JSON: {rule}"),
    ("{field} must be UTF-8", "{field} должно быть в кодировке UTF-8"),
    ("{field} must not be null", "{field} не должно быть null"),
    ("{field} must not be empty", "{field} не должно быть пустым"),
    ("{field} must not be 0", "{field} не должно быть равно нулю"),
    ("{field} must not be zero", "{field} не должно быть равно нулю"),
    ("{field} must not be negative", "{field} не должно быть отрицательным"),
    (
        "{field} must not be positive: the expense is negative",
        "{field} не должно быть положительным: сумма расхода отрицательна",
    ),
    ("{field} must be positive", "{field} должно быть больше нуля"),
    ("{field} must be above zero", "{field} должно быть больше нуля"),
    ("{field} must be at most {most}", "{field} должно быть не больше {most}"),
    (
        "{field} must be at most {most} in {currency}",
        "{field} в {currency} должно быть не больше {most}",
    ),
    (
        "{field} must be at least {least} in {currency}",
        "{field} в {currency} должно быть не меньше {least}",
    ),
    (
        "{field} must have at most {most} decimals",
        "{field} должно содержать не больше {most} знаков после запятой",
    ),
    (
        "{field} must have at most 0 decimals in {currency}",
        "{field} в {currency} должно быть целым числом",
    ),
    (
        "{field} must have at most {most} decimals in {currency}",
        "{field} в {currency} должно содержать не больше {most} знаков после запятой",
    ),
    ("{field} must have at most {most} digits", "{field} должно содержать не больше {most} цифр"),
    ("{field} must have at most {most} fields", "{field} должно содержать не больше {most} полей"),
    (
        "{field} must have at least {least} items",
        "{field} должно содержать не меньше {least} элементов",
    ),
    (
        "{field} must have at most {most} items",
        "{field} должно содержать не больше {most} элементов",
    ),
    (
        "{field} must have at most {most} items, not {count}",
        "{field} должно содержать не больше {most} элементов, а не {count}",
    ),
    ("{field} must be given only once", "указывайте {field} только один раз"),
    ("{field} must not be repeated", "{field} не должно повторяться"),
    ("{field} must not repeat an index", "{field} не должно повторять уже указанный индекс"),
    ("{field} must appear only once", "{field} не должно повторяться"),
    ("{field} must appear only once in {list}", "{field} не должно повторяться в {list}"),
    (
        "{field} must appear only once per currency",
        "{field} не должно повторяться для одной валюты",
    ),
    ("{field} must not change", "{field} нельзя изменить"),
    ("{field} must not be after {last}", "{field} не должно быть позже {last}"),
    ("{field} must be in the future", "{field} должно быть в будущем"),
    (
        "{field} must be at most one day ahead",
        "{field} может опережать сегодняшний день не больше чем на один день",
    ),
    (
        "{field} must be at most one year ahead",
        "{field} может опережать сегодняшний день не больше чем на год",
    ),
    (
        "{field} must be an hour to five years ahead",
        "{field} должно быть не раньше чем через час и не позже чем через пять лет",
    ),
    (
        "{field} must be a minute to 90 days ahead",
        "{field} должно быть не раньше чем через минуту и не позже чем через 90 дней",
    ),
    ("{field} must be one of {known}", "{field} должно быть одним из следующих: {known}"),
    (
        "{field} must be one of {known}, or one of the group's own categories",
        "{field} должно быть категорией группы или одной из следующих: {known}",
    ),
    // Values of the API.
    ("{field} must be a UUID, like {example}", "{field} должно быть UUID, например {example}"),
    (
        "{field} must be a Telegram id as text: digits without leading zeros, below 2^52",
        "{field} должно быть id Telegram в виде строки: цифры без нулей в начале, меньше 2^52",
    ),
    (
        "{field} must be a member's id: a Telegram id as text (digits without leading zeros, below \
         2^52), or guest- and a UUID",
        "{field} должно быть id участника: id Telegram в виде строки (цифры без нулей в начале, \
         меньше 2^52) или guest- и UUID",
    ),
    (
        "{field} must be the id of a spending, like {example}",
        "{field} должно быть id траты, например {example}",
    ),
    ("{field} must be the id of a member of the group", "{field} должно быть id участника группы"),
    (
        "{field} must be the id of a present member of the group, or {word}",
        "{field} должно быть id нынешнего участника группы или {word}",
    ),
    ("{field} must be the id of another user", "{field} должно быть id другого пользователя"),
    ("{field} must be the key of a member", "{field} должно быть ключом участника"),
    (
        "{field} must be 1 to {most} visible ASCII characters, with blanks only between others",
        "{field} должно состоять из 1–{most} видимых символов ASCII; пробелы — только между ними",
    ),
    (
        "{field} must have 1 to {most} characters, not all of them blank and none a control \
         character",
        "{field} должно содержать от 1 до {most} символов: не только пробелы и без управляющих \
         символов",
    ),
    (
        "{field} must have 1 to {most} characters, not all of them blank and none a control \
         character other than a line break",
        "{field} должно содержать от 1 до {most} символов: не только пробелы и без управляющих \
         символов, кроме переноса строки",
    ),
    (
        "{field} must be a whole number, like {example}, or 1 to {most} characters without blanks",
        "{field} должно быть целым числом, например {example}, или содержать от 1 до {most} \
         символов без пробелов",
    ),
    (
        "{field} must be an ISO 4217 code in capitals, like {example}, or {words}",
        "{field} должно быть кодом ISO 4217 заглавными буквами, например {example}, или {words}",
    ),
    (
        "{field} must be a number in decimal digits, like {example} or {other}",
        "{field} должно быть числом в десятичной записи, например {example} или {other}",
    ),
    (
        "{field} must be a TON address: 48 characters of base64, or 0: and 64 hexadecimal digits",
        "{field} должно быть адресом TON: 48 символов base64 или 0: и 64 шестнадцатеричные цифры",
    ),
    (
        "{field} must have a valid checksum: a character was mistyped",
        "контрольная сумма в {field} не сходится: в адресе опечатка",
    ),
    (
        "{field} must not be an address of TON's test network",
        "{field} не должно быть адресом тестовой сети TON",
    ),
    (
        "{field} must have 64 hexadecimal digits",
        "{field} должно состоять из 64 шестнадцатеричных цифр",
    ),
    (
        "{field} must be 64 hexadecimal digits, or the base64 form of 32 bytes",
        "{field} должно состоять из 64 шестнадцатеричных цифр или быть записью 32 байтов в base64",
    ),
    (
        "{field} must be an IANA time zone, like {zone}, or an offset from {first} to {last}, like \
         {offset}",
        "{field} должно быть часовым поясом IANA, например {zone}, или смещением от {first} до \
         {last}, например {offset}",
    ),
    (
        "{field} must be 1 to {most} lower-case letters, digits and underscores that begin with a \
         letter",
        "{field} должно состоять из 1–{most} строчных латинских букв, цифр и подчёркиваний и \
         начинаться с буквы",
    ),
    (
        "{field} must be an RFC 3339 timestamp, like {example}",
        "{field} должно быть временем по RFC 3339, например {example}",
    ),
    (
        "{field} must be an RFC 3339 timestamp, like {example}, or a day, like {day}",
        "{field} должно быть временем по RFC 3339, например {example}, или датой, например {day}",
    ),
    (
        "{field} must be a day from {first} to {last}, like {example}",
        "{field} должно быть датой от {first} до {last}, например {example}",
    ),
    (
        "{field} must be a month from {first} to {last}, like {example}",
        "{field} должно быть месяцем от {first} до {last}, например {example}",
    ),
    (
        "{field} must not be a UUID: UUIDs name the entries of expenses and settlements",
        "{field} не должно быть UUID: так называются записи расходов и расчётов",
    ),
    (
        "{field} must not be {link} and the id of a guest: this is the entry by which one is \
         linked",
        "{field} не должно быть {link} и id гостя: так называется запись о привязке гостя",
    ),
    (
        "{field} must not be `{word}`, which is reserved",
        "{field} не должно быть `{word}`: это слово зарезервировано",
    ),
    (
        "{field} must be the code of an invitation: 22 characters of base64url",
        "{field} должно быть кодом приглашения: 22 символа base64url",
    ),
    // Fields that depend on others.
    ("{field} must be given only with {other}", "указывайте {field} только вместе с {other}"),
    (
        "{field} must be given only with splitType {word}",
        "указывайте {field} только при splitType {word}",
    ),
    ("{field} must be given only with type {word}", "указывайте {field} только при type {word}"),
    ("{field} must be given only with fund {word}", "указывайте {field} только при fund {word}"),
    (
        "{field} must be given only with payFrom {word}",
        "указывайте {field} только при payFrom {word}",
    ),
    ("{field} must not be given with {other}", "не указывайте {field} вместе с {other}"),
    (
        "{field} must not be given with splitType {word}",
        "не указывайте {field} при splitType {word}",
    ),
    ("{field} must not be given with type {word}", "не указывайте {field} при type {word}"),
    ("{field} must not be given with payFrom {word}", "не указывайте {field} при payFrom {word}"),
    (
        "{field} must not be given with allowExternal or payNow",
        "не указывайте {field} вместе с allowExternal или payNow",
    ),
    ("{field} must not be given beside sharers", "не указывайте {field} вместе с sharers"),
    (
        "{field} must not be given for a line of kind item",
        "не указывайте {field} для строки вида item",
    ),
    (
        "{field} must not be given to a question of type {type}",
        "не указывайте {field} для вопроса типа {type}",
    ),
    ("{field} must not be sent with {other}", "не отправляйте {field} вместе с {other}"),
    (
        "{field} must not be sent with status or txHash",
        "не отправляйте {field} вместе с status или txHash",
    ),
    ("{field} must not be sent with from or to", "не отправляйте {field} вместе с from или to"),
    (
        "{field} must not be sent with an order or filters",
        "не отправляйте {field} вместе с сортировкой или фильтрами",
    ),
    ("{field} must not be true with {other}", "{field} не должно быть true вместе с {other}"),
    ("{field} must not be true with type {word}", "{field} не должно быть true при type {word}"),
    (
        "{field} must be left out if spendingId is sent",
        "не указывайте {field} вместе со spendingId",
    ),
    ("{field} must be left out if payers is given", "не указывайте {field} вместе с payers"),
    ("{field} must be left out if status is failed", "не указывайте {field} при status failed"),
    (
        "{field} must be left out if categories are sent",
        "не указывайте {field} вместе с categories",
    ),
    (
        "{field} must be left out unless a payer of the receipt has left",
        "указывайте {field}, только если плательщик из чека покинул группу",
    ),
    (
        "{field} must be left out, because the balances after all pending settlements would exceed \
         the limits of the ledger",
        "не указывайте {field}: после всех ожидающих расчётов балансы превысили бы пределы журнала",
    ),
    (
        "{field} must be the same as currency, or be left out",
        "{field} должно совпадать с currency; его можно не указывать",
    ),
    (
        "title, currency, archived or categories is required",
        "укажите title, currency, archived или categories",
    ),
    (
        "status, txHash, amount, currency, date or note is required",
        "укажите status, txHash, amount, currency, date или note",
    ),
    // Groups and members.
    ("the group does not exist", "группа не найдена"),
    ("the caller is not a member of the group", "вы не состоите в этой группе"),
    (
        "the caller has left the group, and may join it again",
        "вы покинули группу, но можете вступить в неё снова",
    ),
    (
        "the caller was removed from the group; a member may restore them",
        "вас удалили из группы; вернуть вас может любой участник",
    ),
    (
        "the group is joined with an invitation; ask a member for the newest one",
        "в группу вступают по приглашению; попросите у участника самое новое",
    ),
    ("the group has no such member", "такого участника в группе нет"),
    ("you are in no group with this user", "у вас нет общих групп с этим пользователем"),
    (
        "only guests can be renamed; a user's name comes from Telegram",
        "переименовать можно только гостя; имя пользователя берётся из Telegram",
    ),
    ("only guests can be linked to users", "связать с пользователем можно только гостя"),
    (
        "another member must confirm that this guest is you: ask them to link the guest",
        "то, что этот гость — вы, должен подтвердить другой участник: попросите его привязать \
         гостя",
    ),
    (
        "the guest is already linked to a user, which is final",
        "гость уже связан с пользователем, и изменить это нельзя",
    ),
    (
        "a group must have at most {most} linked guests, and at most {each} for each user",
        "связанных гостей в группе может быть не больше {most}, а у одного пользователя — не \
         больше {each}",
    ),
    (
        "another member of the group has the name; send another name",
        "это имя уже занято другим участником группы; выберите другое",
    ),
    (
        "only the creator of a group may remove a user, and the creator cannot be removed; guests \
         may be removed by any member",
        "удалить пользователя может только создатель группы, а самого создателя удалить нельзя; \
         гостей может удалить любой участник",
    ),
    (
        "the group is archived and cannot be changed; set archived to false first",
        "группа в архиве, изменить её нельзя; сначала установите archived в false",
    ),
    (
        "the member has open balances or pending settlements; settle them first",
        "у участника есть непогашенные балансы или ожидающие расчёты; сначала завершите их",
    ),
    (
        "the group has open balances or pending settlements; settle them first",
        "в группе есть непогашенные балансы или ожидающие расчёты; сначала завершите их",
    ),
    (
        "the balance in {currency} must be 0, but is {net}",
        "баланс в {currency} должен быть равен 0, а сейчас он {net}",
    ),
    (
        "the balances in {currency} must be 0, but {net} is owed",
        "балансы в {currency} должны быть равны 0, а сейчас долги составляют {net}",
    ),
    ("{count} settlement is still pending", "ожидающих расчётов: {count}"),
    ("{count} settlements are still pending", "ожидающих расчётов: {count}"),
    (
        "other users are in the group; delete it once they have left or you removed them",
        "в группе есть другие пользователи; удалить её можно, когда они выйдут или вы их удалите",
    ),
    ("only the creator of a group may delete it", "удалить группу может только её создатель"),
    ("a group must have at most {most} members", "участников в группе может быть не больше {most}"),
    ("{key} is reserved; use another key", "ключ {key} зарезервирован; выберите другой"),
    (
        "categories must have the key {key} only once",
        "ключ {key} не должен повторяться в categories",
    ),
    // Expenses.
    ("the expense does not exist in this group", "расход не найден в этой группе"),
    (
        "only the payer of an expense and the member who recorded it may change it",
        "изменить расход могут только тот, кто заплатил, и тот, кто его записал",
    ),
    (
        "an expense must have at most {most} splits and further payers, not {count}",
        "долей и дополнительных плательщиков в расходе может быть не больше {most}, а их {count}",
    ),
    (
        "an expense must have at most {most} sharers and further payers, not {count}",
        "участников и дополнительных плательщиков в расходе может быть не больше {most}, а их \
         {count}",
    ),
    (
        "the request changes {count} rows, but at most {most} can change at once; change the \
         shares in two edits",
        "запрос меняет слишком много записей ({count}), за раз можно не больше {most}; измените \
         доли в два приёма",
    ),
    (
        "the group's history is too long to be read in one request",
        "история группы слишком длинная, чтобы прочитать её одним запросом",
    ),
    (
        "the group's expenses are not indexed by date yet",
        "расходы группы ещё не проиндексированы по дате",
    ),
    (
        "expenses that the TypeScript Fracti recorded are not in the ledger yet; an operator has to \
         run `fracti-admin migrate`",
        "расходы из Fracti на TypeScript ещё не перенесены в журнал; оператор должен запустить \
         `fracti-admin migrate`",
    ),
    (
        "the amounts sum to {sum}, {difference} less than the amount",
        "указанные суммы складываются в {sum}, это на {difference} меньше суммы расхода",
    ),
    (
        "the amounts sum to {sum}, {difference} more than the amount",
        "указанные суммы складываются в {sum}, это на {difference} больше суммы расхода",
    ),
    (
        "the adjustments sum to {sum}, {difference} less than the amount",
        "сумма поправок — {sum}, это на {difference} меньше суммы расхода",
    ),
    (
        "the adjustments sum to {sum}, {difference} more than the amount",
        "сумма поправок — {sum}, это на {difference} больше суммы расхода",
    ),
    (
        "the lines sum to {sum}, {difference} less than the amount",
        "сумма строк — {sum}, это на {difference} меньше суммы расхода",
    ),
    (
        "the lines sum to {sum}, {difference} more than the amount",
        "сумма строк — {sum}, это на {difference} больше суммы расхода",
    ),
    (
        "the percentages sum to {sum}, {difference} less than 100",
        "сумма процентов — {sum}, это на {difference} меньше 100",
    ),
    (
        "the percentages sum to {sum}, {difference} more than 100",
        "сумма процентов — {sum}, это на {difference} больше 100",
    ),
    ("the percentages must sum to 100", "сумма процентов должна быть равна 100"),
    ("weights must not all be 0", "хотя бы один вес должен быть больше 0"),
    (
        "weights must not be negative, and must have at most {most} decimals",
        "веса не должны быть отрицательными, а знаков после запятой в них должно быть не больше \
         {most}",
    ),
    ("{member}'s share would be negative", "доля участника {member} получилась бы отрицательной"),
    (
        "{member}'s share would be positive: the expense is negative",
        "доля участника {member} получилась бы положительной, а сумма расхода отрицательна",
    ),
    ("a share must not exceed the amount", "доля не должна превышать сумму расхода"),
    ("the lines it applies to sum to 0", "сумма строк, к которым она относится, равна 0"),
    ("the amounts do not follow from the split", "суммы не соответствуют способу деления"),
    (
        "payers or payerId is required for a new amount of an expense with several payers",
        "плательщиков несколько: чтобы изменить сумму расхода, укажите payers или payerId",
    ),
    (
        "{field} is required: only one payer may omit it",
        "укажите {field}: не указать сумму можно только для одного плательщика",
    ),
    (
        "{field} must have at most {most} sharers, not {count}",
        "отметок о долях в {field} должно быть не больше {most}, а не {count}",
    ),
    (
        "{field} must have at most {most} bytes, not {count}",
        "{field} должно занимать не больше {most} Б, а не {count}",
    ),
    (
        "{field} must have at least one line of kind item",
        "в {field} нужна хотя бы одна строка вида item",
    ),
    (
        "{field} must have at most {most} lines of other kinds",
        "строк других видов в {field} должно быть не больше {most}",
    ),
    (
        "only one line may take the rest: give the others an amount",
        "остаток может взять только одна строка: укажите суммы остальных",
    ),
    (
        "discounts must be less than the other lines together",
        "скидки должны быть меньше суммы остальных строк",
    ),
    (
        "{field} must not be on a line of kind discount",
        "не указывайте {field} в строке вида discount",
    ),
    (
        "{field} must not be negative: what is taken off is a line of kind discount, with a \
         positive amount",
        "{field} не должно быть отрицательным: скидка — это строка вида discount с положительной \
         суммой",
    ),
    (
        "{field} must not be positive: the expense is negative, and what is taken off is a line \
         of kind discount, with a negative amount",
        "{field} не должно быть положительным: сумма расхода отрицательна, а скидка — это строка \
         вида discount с отрицательной суммой",
    ),
    (
        "{field} must be the index of a line of kind item, counted from 0",
        "{field} должно быть индексом строки вида item, считая от 0",
    ),
    // Settlements and funds.
    ("the settlement does not exist in this group", "расчёт не найден в этой группе"),
    (
        "this payment is already recorded and waits to be confirmed; if it is another one, send \
         separate: true",
        "этот платёж уже записан и ждёт подтверждения; если это другой платёж, отправьте \
         separate: true",
    ),
    (
        "only the payer and the recipient may record or change a settlement",
        "записать или изменить расчёт могут только плательщик и получатель",
    ),
    (
        "only the other side may complete a settlement, and another member for a guest or a past \
         member; its payer may send a txHash instead",
        "завершить расчёт может только другая сторона, а за гостя или бывшего участника — другой \
         участник; плательщик может вместо этого отправить txHash",
    ),
    (
        "only the payer may send the txHash of a settlement",
        "отправить txHash расчёта может только плательщик",
    ),
    (
        "only the member who recorded a settlement may edit it",
        "исправить расчёт может только тот, кто его записал",
    ),
    (
        "the settlement is already {status}, which is final",
        "у расчёта уже окончательный статус: {status}",
    ),
    (
        "the txHash is already used by another settlement",
        "этот txHash уже использован в другом расчёте",
    ),
    ("toId must not be the payer", "получатель toId не должен совпадать с плательщиком"),
    (
        "{field} must be a present user, because funds pay it",
        "{field} должно быть id пользователя, который состоит в группе: платёж идёт из средств",
    ),
    (
        "{needed} {currency} of cash are needed, {available} {same} are available",
        "наличных средств нужно {needed} {currency}, доступно {available} {same}",
    ),
    (
        "{needed} {currency} are needed, {available} {same} are available",
        "нужно {needed} {currency}, доступно {available} {same}",
    ),
    ("these are another user's funds", "это средства другого пользователя"),
    ("only an operator can do this", "это может сделать только оператор"),
    (
        "only the payer can pay from their funds",
        "платить из своих средств может только сам плательщик",
    ),
    (
        "API tokens cannot do this; use the app",
        "с токеном API этого сделать нельзя; воспользуйтесь приложением",
    ),
    (
        "the transaction belongs to a settlement: complete or fail that",
        "операция относится к расчёту: завершите или отмените его",
    ),
    ("the transaction does not exist", "операция не найдена"),
    ("no group has a member with this id", "ни в одной группе нет участника с таким id"),
    ("funds are not enabled", "операции со средствами отключены"),
    ("the recipient has to confirm this payment", "этот платёж должен подтвердить получатель"),
    ("funds pay this settlement", "этот расчёт оплачивается из средств"),
    ("the transaction is already {status}", "у операции уже окончательный статус: {status}"),
    ("the hold expired on {day} at {time} UTC", "срок удержания истёк {day} в {time} UTC"),
    ("refId was already used", "значение refId уже использовано"),
    (
        "at most {most} reports and cash-outs can wait for an operator",
        "сообщений о пополнении и выводов, ожидающих оператора, может быть не больше {most}",
    ),
    ("at most {most} bonuses per currency", "бонусов в одной валюте может быть не больше {most}"),
    (
        "at most {most} payments can be held per currency",
        "отложенных платежей в одной валюте может быть не больше {most}",
    ),
    (
        "at most {most} transactions can be pending per fund",
        "ожидающих операций с одними средствами может быть не больше {most}",
    ),
    (
        "{field} must not be {currency}: an operator records it",
        "{field} не может быть {currency}: такие пополнения записывает оператор",
    ),
    ("{field} must be an address for {currency}", "для {currency} укажите в {field} адрес"),
    (
        "{field} must be a bonus of the user in this currency",
        "{field} должно быть id бонуса этого пользователя в этой валюте",
    ),
    // The ledger.
    ("the entry does not exist in this group's ledger", "запись не найдена в журнале этой группы"),
    (
        "entry {entry} cannot be reverted: it belongs to an expense; delete or edit the expense \
         instead",
        "запись {entry} нельзя отменить: она относится к расходу; удалите или измените сам расход",
    ),
    (
        "entry {entry} cannot be reverted: it belongs to a settlement, which is final; record a \
         settlement in the other direction instead",
        "запись {entry} нельзя отменить: она относится к расчёту, а он окончателен; запишите \
         обратный расчёт",
    ),
    (
        "entry {entry} cannot be reverted: it belongs to a link of a guest to a user, which is \
         final",
        "запись {entry} нельзя отменить: она о связи гостя с пользователем, а эта связь \
         окончательна",
    ),
    (
        "adjustment {entry} may be reverted only by the member who pushed it and by the members \
         whose balances it changed",
        "корректировку {entry} могут отменить только тот, кто её внёс, и те, чьи балансы она \
         изменила",
    ),
    (
        "an entry with this entryId is already applied; revert it first, or use another entryId",
        "запись с таким entryId уже действует; сначала отмените её или выберите другой entryId",
    ),
    ("the balance would be below balanceAtLeast", "баланс стал бы меньше balanceAtLeast"),
    ("no entry with this entryId is applied", "действующей записи с таким entryId нет"),
    (
        "a total would become too large, or the ledger would have too many balances",
        "итог стал бы слишком большим или в журнале стало бы слишком много балансов",
    ),
    (
        "{field} must have at most {most} changes in total; send several requests",
        "изменений в {field} должно быть всего не больше {most}; отправьте несколько запросов",
    ),
    (
        "changes in {currency} must sum to zero, not to {sum}",
        "сумма изменений в {currency} должна быть равна нулю, а не {sum}",
    ),
    (
        "{field} must keep the group's totals in {currency} between {least} and {most}",
        "{field} должно быть таким, чтобы итоги группы в {currency} остались между {least} и \
         {most}",
    ),
    (
        "{field} must keep the group's ledger at or below {most} balances, one for each member and \
         currency",
        "{field} должно быть таким, чтобы балансов в журнале группы (по одному на участника и \
         валюту) осталось не больше {most}",
    ),
    ("the changes in {currency} do not sum to zero", "сумма изменений в {currency} не равна нулю"),
    (
        "the group's totals for this day and category are full",
        "итоги группы за этот день и по этой категории переполнены",
    ),
    (
        "{field} must not be after this month if to is left out",
        "{field} не должно быть позже этого месяца, если не указано to",
    ),
    (
        "{field} must not be before this month if from is left out",
        "{field} не должно быть раньше этого месяца, если не указано from",
    ),
    (
        "{field} must be at most {most} days from from",
        "дней между from и {field} должно быть не больше {most}",
    ),
    // Spendings and targets.
    ("the spending does not exist", "трата не найдена"),
    (
        "currency is required, because the targets have none",
        "укажите currency: в целях валюта не задана",
    ),
    (
        "{field} must be within one day of the UTC date of spentAt",
        "{field} может отличаться от даты spentAt по UTC не больше чем на один день",
    ),
    (
        "{key} is archived and takes no new spendings",
        "категория {key} в архиве, новые траты в неё не записать",
    ),
    (
        "{key} is neither a category nor an own one of your targets",
        "категории {key} нет ни среди встроенных, ни среди ваших собственных",
    ),
    (
        "the categories exceed the amount by {excess}",
        "сумма категорий превышает сумму траты на {excess}",
    ),
    (
        "the targets have changed since they were read; read them again",
        "цели изменились с момента чтения; прочитайте их заново",
    ),
    ("the current version is {version}", "текущая версия — {version}"),
    ("{key} needs a currency", "для {key} нужна валюта"),
    (
        "{field} must not change without new values of {known}",
        "{field} нельзя изменить без новых значений {known}",
    ),
    (
        "{field} must have at most {most} categories",
        "категорий в {field} должно быть не больше {most}",
    ),
    ("from must not be after the last day", "дата from не должна быть позже последнего дня"),
    (
        "from and to must span at most {most} days",
        "дней от from до to должно быть не больше {most}",
    ),
    // Questions.
    ("the question does not exist in this group", "вопрос не найден в этой группе"),
    ("this member is not asked", "этого участника не спрашивают"),
    (
        "you can answer only for yourself or for a guest",
        "отвечать можно только за себя или за гостя",
    ),
    ("only the asker can close the question", "закрыть вопрос может только тот, кто его задал"),
    (
        "only the asker and the payers can apply the receipt",
        "провести чек могут только тот, кто задал вопрос, и плательщики",
    ),
    ("this member has already answered the question", "этот участник уже ответил на вопрос"),
    ("the question takes no more answers", "ответы на этот вопрос больше не принимаются"),
    (
        "items of the receipt are unclaimed; send `unclaimed` to say who shares them",
        "не все позиции чека разобраны; отправьте `unclaimed`, чтобы указать, кто их делит",
    ),
    ("nobody has claimed it", "эту позицию никто не отметил"),
    ("{left} of {quantity} is unclaimed", "не разобрано {left} из {quantity}"),
    ("{left} of {quantity} are unclaimed", "не разобрано {left} из {quantity}"),
    (
        "a payer of the receipt has left the group; send payerId",
        "плательщик из чека покинул группу; отправьте payerId",
    ),
    (
        "the expense of this question was deleted; restore it",
        "расход этого вопроса удалён; восстановите его",
    ),
    (
        "a group must have at most {most} open questions",
        "открытых вопросов в группе может быть не больше {most}",
    ),
    (
        "nobody is asked: no other user is in the group",
        "спрашивать некого: других пользователей в группе нет",
    ),
    (
        "{field} must be claims: send PUT claims to a question about items",
        "вместо {field} отправьте PUT claims: на вопрос о позициях чека отвечают отметками",
    ),
    (
        "{field} must be sent only to a question of type items",
        "отправляйте {field} только для вопроса типа items",
    ),
    (
        "{field} must be the index of an item without sharers",
        "{field} должно быть индексом позиции без sharers",
    ),
    ("{field} must be given as the category of the receipt", "укажите {field} как категорию чека"),
    (
        "{field} must be at most {most}, the number of members who are asked",
        "{field} должно быть не больше числа опрашиваемых участников ({most})",
    ),
    (
        "{field} must be true only if at least {least} answers are required",
        "{field} может быть true, только если требуется не меньше {least} ответов",
    ),
    (
        "{field} must not be true if a guest is asked",
        "{field} не должно быть true, если спрашивают гостя",
    ),
    (
        "{field} must leave the receipt at most {most} claims and sharers, not {count}",
        "из-за {field} отметок и долей в чеке стало бы {count}, а можно не больше {most}",
    ),
    ("{field} must be a question of type items", "{field} должно быть id вопроса типа items"),
    // Imports.
    ("the import does not exist in this group", "импорт не найден в этой группе"),
    (
        "only the member who imported a file may undo the import, unless they have left",
        "отменить импорт может только тот, кто загрузил файл, если он не покинул группу",
    ),
    (
        "the import is being undone; repeat the undo until it has ended",
        "импорт отменяется; повторяйте отмену, пока она не завершится",
    ),
    (
        "the file is a later export: {changed} of its rows have changed since an earlier import, \
         and {gone} rows of earlier imports are not in it; see the differences in the plan, and \
         send its confirm",
        "это более поздняя выгрузка: с прошлого импорта изменилось строк — {changed}, исчезло \
         строк — {gone}; посмотрите различия в плане и отправьте его confirm",
    ),
    (
        "{field} must be the run of an earlier response",
        "{field} должно быть значением run из прошлого ответа",
    ),
    (
        "members must be present, but {member} has left the group",
        "все участники должны состоять в группе, а {member} её покинул",
    ),
    ("{field} must have a line number as key", "ключом в {field} должен быть номер строки"),
    ("{field} must name a person in the file", "{field} должно быть именем человека из файла"),
    (
        "{field} must be the id of a member: another member of the group has this name",
        "{field} должно быть id участника: это имя уже есть у другого участника группы",
    ),
    (
        "{field} must be the id of a member: the guest with this name was removed",
        "{field} должно быть id участника: гостя с этим именем удалили",
    ),
    (
        "{field} must be the id of a member: the user to whom the guest with this name was linked \
         has left",
        "{field} должно быть id участника: пользователь, с которым связан гость с этим именем, \
         покинул группу",
    ),
    (
        "nothing shows where the file ends: if it was cut off after a line, rows are missing; \
         compare the balances with those of the app",
        "не видно, где файл кончается: если он обрезан после строки, строк не хватает; сравните \
         балансы с приложением",
    ),
    ("the row is left out: {rule}", "строка пропущена: {rule}"),
    ("its amount is zero", "её сумма равна нулю"),
    ("its members pay themselves", "её участники платят сами себе"),
    ("it changes nothing", "она ничего не меняет"),
    ("it is in the trash bin", "она в корзине"),
    (
        "it changes no balance, because the members paid only for themselves",
        "балансы не меняются: участники платили только за себя",
    ),
    (
        "{field} cannot be seen; {name} is read instead",
        "{field} не видно; вместо него читается {name}",
    ),
    (
        "several members are called {name}; this one is read as {other}",
        "участников с именем {name} несколько; этот читается как {other}",
    ),
    (
        "{field} of the {kind} {id} is blank; the id is read instead",
        "поле {field} у {kind} {id} пустое; вместо него читается id",
    ),
    (
        "{field} {name} is shortened to {most} characters",
        "{field} {name} сокращается до {most} символов",
    ),
    ("{field} is shortened to {most} characters", "{field} сокращается до {most} символов"),
    (
        "{field} {found} is before 1970 and is imported as {first}",
        "{field} {found} раньше 1970 года и записывается как {first}",
    ),
    ("{field} {date} is more than one year ahead", "{field} {date} больше чем на год впереди"),
    (
        "{field} {number} is rounded to {amount} {currency}",
        "{field} {number} округляется до {amount} {currency}",
    ),
    (
        "parts of the row have different signs; their differences are imported",
        "у частей строки разные знаки; записываются их разности",
    ),
    ("{count} further warnings are not listed", "ещё предупреждений: {count}"),
    (
        "several members paid, but the file does not say how much; what each of them paid \
         beyond the own share is imported",
        "платили несколько участников, но файл не говорит, сколько; записывается то, что каждый \
         заплатил сверх своей доли",
    ),
    (
        "the amounts are finer than a minor unit of {currency}; they are rounded",
        "суммы мельче наименьшей единицы {currency}; они округляются",
    ),
    (
        "1 guest is imported as the user to whom they were linked",
        "один гость записывается как пользователь, с которым связан",
    ),
    (
        "{count} guests are imported as the users to whom they were linked",
        "гостей, записанных как связанные с ними пользователи: {count}",
    ),
    (
        "1 past member without an expense or payment is not imported",
        "один бывший участник без расходов и платежей не переносится",
    ),
    (
        "{count} past members without an expense or payment are not imported",
        "бывшие участники без расходов и платежей не переносятся: {count}",
    ),
    (
        "the shares are imported as exact amounts, because the split cannot be kept: {rule}",
        "доли записываются точными суммами, потому что деление не сохранить: {rule}",
    ),
    (
        "the shares are imported as exact amounts, because two of the people who share it are \
         one member",
        "доли записываются точными суммами, потому что двое из участников — один человек",
    ),
    (
        "1 entry of the past is not imported; it belongs to edits, to deleted expenses or to \
         reverted adjustments",
        "одна прошлая запись не переносится: она относится к правкам, удалённым расходам или \
         отменённым корректировкам",
    ),
    (
        "{count} entries of the past are not imported; they belong to edits, to deleted \
         expenses or to reverted adjustments",
        "прошлые записи не переносятся: {count}; они относятся к правкам, удалённым расходам \
         или отменённым корректировкам",
    ),
    ("1 failed settlement is not imported", "один несостоявшийся платёж не переносится"),
    (
        "{count} failed settlements are not imported",
        "несостоявшиеся платежи не переносятся: {count}",
    ),
    (
        "1 settlement loses the hash of its blockchain transaction",
        "один платёж теряет хеш транзакции",
    ),
    (
        "{count} settlements lose the hash of their blockchain transaction",
        "платежей, теряющих хеш транзакции: {count}",
    ),
    (
        "the rules of recurrence of {count} expenses are not imported",
        "правила повторения расходов не переносятся: {count}",
    ),
    (
        "the rules of recurrence of {count} bills are not imported",
        "правила повторения счетов не переносятся: {count}",
    ),
    (
        "of {count} expenses in another currency, the amounts in the currency of the group are \
         imported",
        "расходы в другой валюте ({count}) записываются суммами в валюте группы",
    ),
    (
        "the dates are those of the server's time zone, which may be one day early; those of \
         the JSON export are exact",
        "даты — по часовому поясу сервера и могут быть на день раньше; в выгрузке JSON они точные",
    ),
    (
        "the shares sum to {sum}, not to {total}; the payer owes the difference",
        "сумма долей — {sum}, а не {total}; разницу должен плательщик",
    ),
    (
        "the cells differ, but the split mode is Evenly; equal shares are imported",
        "ячейки разные, но деление — Evenly; записываются равные доли",
    ),
    (
        "rows of the group that this file rounds otherwise: {count}; they stay as they are, so \
         balances may differ from those of the app by as many minor units",
        "записей группы, которые в этом файле округлены иначе: {count}; они не меняются, поэтому \
         балансы могут отличаться от балансов приложения на столько же наименьших единиц",
    ),
    (
        "the payment is left out, because payer and recipient are one member",
        "платёж пропущен: плательщик и получатель — один участник",
    ),
    (
        "the adjustment is left out, because its members are one member",
        "корректировка пропущена: её участники — один участник",
    ),
    (
        "{rule}; it was edited in the group since, and stays as it is",
        "{rule}; с тех пор его правили в группе, и он останется как есть",
    ),
    ("{rule}; it was edited in the group since", "{rule}; с тех пор его правили в группе"),
    (
        "{name} of {on_day}, {amount}, differs in {words}; the file has {other}",
        "запись «{name}» от {on_day}, {amount}: отличается {words}; в файле {other}",
    ),
    (
        "the payment from {name} to {other}, {amount}, differs in {words}; the file has {more}",
        "платёж от {name} к {other}, {amount}: отличается {words}; в файле {more}",
    ),
    (
        "{name} of {on_day}, {amount} is not in the file",
        "запись «{name}» от {on_day}, {amount}: нет в файле",
    ),
    ("the payment from {name} to {other}, {amount}", "платёж от {name} к {other}, {amount}"),
    (
        "an adjustment, differs in {words}; the file has {more}",
        "корректировка отличается {words}; в файле {more}",
    ),
    ("the adjustment {name}", "корректировка {name}"),
    ("an adjustment", "корректировка"),
    ("the adjustment {name} is not in the file", "корректировки {name} нет в файле"),
    ("an adjustment is not in the file", "корректировки нет в файле"),
    (
        "the adjustment {name}, differs in {words}; the file has {more}",
        "корректировка {name}: отличается {words}; в файле {more}",
    ),
    (
        "the payment from {name} to {other}, {amount} is not in the file",
        "платёж от {name} к {other}, {amount}: нет в файле",
    ),
    ("which currency do the amounts have?", "в какой валюте эти суммы?"),
    ("which currency {sign} do the amounts have?", "в какой валюте эти суммы (знак {sign})?"),
    ("which weight does {name} have in the other app?", "какой вес у {name} в другом приложении?"),
    ("who paid {amount} for {what} on {date}?", "кто заплатил {amount} за «{what}» ({date})?"),
    (
        "payers must not have line {line}, which asks for no payer",
        "уберите из payers строку {line}: о её плательщике не спрашивали",
    ),
    (
        "weights must not have {name}: the file asks for no such weight",
        "уберите из weights {name}: об этом весе не спрашивали",
    ),
    ("payers must have the name of a member of the file", "в payers нужно имя участника из файла"),
    // Files.
    ("line {line}, column {column}: {rule}", "строка {line}, столбец {column}: {rule}"),
    ("line {line}: {rule}", "строка {line}: {rule}"),
    ("{place}: {rule}", "в {place}: {rule}"),
    ("{rule}; {more}", "{rule}; {more}"),
    (
        "the file has none of the formats {known}",
        "формат файла не распознан; поддерживаются {known}",
    ),
    (
        "the file is an export of this group, which has its rows already",
        "этот файл выгружен из этой же группы, его записи в ней уже есть",
    ),
    (
        "the group has no category {category}; add it to the group first",
        "в группе нет категории {category}; сначала добавьте её",
    ),
    ("the file is empty", "файл пуст"),
    (
        "the file is a ZIP archive or a spreadsheet like XLSX; unpack it, or export it as CSV",
        "это архив ZIP или таблица вроде XLSX; распакуйте его или выгрузите в CSV",
    ),
    ("the file is compressed; unpack it", "файл сжат; распакуйте его"),
    ("the file is a PDF; export it as CSV or JSON", "это PDF; выгрузите данные в CSV или JSON"),
    ("the file is an Excel spreadsheet; export it as CSV", "это таблица Excel; выгрузите её в CSV"),
    (
        "the file is in the encoding UTF-16; save it as UTF-8",
        "файл в кодировке UTF-16; сохраните его в UTF-8",
    ),
    (
        "the file is a web page (HTML); download the export itself",
        "это веб-страница (HTML); скачайте саму выгрузку",
    ),
    ("the file must have at most {size} MiB", "файл должен быть не больше {size} МиБ"),
    (
        "the file is not in UTF-8; save it as UTF-8",
        "файл не в кодировке UTF-8; сохраните его в UTF-8",
    ),
    (
        "the file is not in UTF-8, but probably in {encoding}; save it as UTF-8",
        "файл не в кодировке UTF-8, а, похоже, в {encoding}; сохраните его в UTF-8",
    ),
    ("the file has a NUL byte, so it is no text", "в файле есть нулевой байт — это не текст"),
    ("the file is not the JSON of an export: {rule}", "это не JSON выгрузки: {rule}"),
    ("the file has no rows", "в файле нет строк"),
    ("the file must have at most {most} rows", "строк в файле должно быть не больше {most}"),
    (
        "the file must have at most {most} rows, of which a payment of several people counts as \
         several",
        "строк в файле должно быть не больше {most}, при этом платёж нескольких людей считается за \
         несколько",
    ),
    (
        "the file must have at most {most} members",
        "участников в файле должно быть не больше {most}",
    ),
    (
        "the line has {count} cells, but the header has {expected}",
        "ячеек в строке — {count}, а в заголовке — {expected}",
    ),
    (
        "the line has {count} cells, but its section has {expected}",
        "ячеек в строке — {count}, а в её разделе — {expected}",
    ),
    ("a line must have at most {most} cells", "ячеек в строке должно быть не больше {most}"),
    (
        "a cell that contains a quote must be enclosed in quotes",
        "ячейка, в которой есть кавычка, должна быть в кавычках",
    ),
    ("the quote that opens this cell is never closed", "кавычка в начале этой ячейки не закрыта"),
    (
        "text must not follow the quote that closes a cell",
        "после закрывающей кавычки ячейки не должно быть текста",
    ),
    (
        "the file may be cut off here: the last line has no line break; export it again",
        "похоже, файл здесь обрывается: в конце последней строки нет переноса; выгрузите его \
         заново",
    ),
    ("{field} must not have thousands separators", "в {field} не должно быть разделителей тысяч"),
    (
        "{field} must have a decimal comma, like the numbers above",
        "в {field} должна быть десятичная запятая, как в числах выше",
    ),
    (
        "{field} must have a decimal point, like the numbers above",
        "в {field} должна быть десятичная точка, как в числах выше",
    ),
    (
        "{field} must have a decimal point, because its comma may be a thousands separator",
        "в {field} должна быть десятичная точка: запятая может оказаться разделителем тысяч",
    ),
    (
        "the total of {name} in {currency} is {sum}, but its rows sum to {computed}",
        "итог {name} в {currency} — {sum}, а сумма строк — {computed}",
    ),
    (
        "the balance of {name} in {currency} is {sum}, but its rows sum to {computed}",
        "баланс {name} в {currency} — {sum}, а сумма строк — {computed}",
    ),
    ("the shares sum to {sum}, but {paid} was paid", "сумма долей — {sum}, а заплачено {paid}"),
    (
        "the shares sum to {sum}, but the cost is {cost}",
        "сумма долей — {sum}, а стоимость — {cost}",
    ),
    ("the shares are too large", "доли слишком велики"),
    ("the amount is too large", "сумма слишком велика"),
    ("{field} is too large", "{field} слишком велико"),
    (
        "the amounts in {currency} are too large to be summed",
        "суммы в {currency} слишком велики, чтобы их сложить",
    ),
    ("{field} are too large to be summed", "суммы в {field} слишком велики, чтобы их сложить"),
    ("{field} has amounts that are too large", "суммы в {field} слишком велики"),
    (
        "a row must have at most {most} members, not {count}",
        "участников в строке должно быть не больше {most}, а не {count}",
    ),
    ("the weights must have at most {most} digits", "цифр в весах должно быть не больше {most}"),
    ("the weights must not be negative", "веса не должны быть отрицательными"),
    ("the weights differ too much", "веса слишком сильно различаются"),
    ("{field} must be of one member only", "{field} должно принадлежать только одному участнику"),
    (
        "{field} must be of one participant only",
        "{field} должно принадлежать только одному участнику",
    ),
    ("{field} must only have names of members", "в {field} должны быть только имена участников"),
    ("{field} has too many names", "в {field} слишком много имён"),
    (
        "{field} can be read in several ways, because names contain the separator; rename the \
         members, and export again",
        "{field} можно прочитать по-разному: в именах есть разделитель; переименуйте участников и \
         выгрузите файл заново",
    ),
    ("{field} must have each name only once", "имена в {field} не должны повторяться"),
    ("{field} must be a member", "{field} должно быть именем участника"),
    ("{field} must be seconds since 1970", "{field} должно быть числом секунд с 1970 года"),
    (
        "{column} must be Yes or No, not {found}",
        "в столбце {column} должно быть Yes или No, а не {found}",
    ),
    ("{field} must be 0 or 1, not {found}", "{field} должно быть 0 или 1, а не {found}"),
    (
        "{field} must be Expense or Reimbursement, not {found}",
        "{field} должно быть Expense или Reimbursement, а не {found}",
    ),
    (
        "{field} must be {first} in all bills whose currency Fracti does not have, not {found}",
        "{field} должно быть {first} во всех счетах, валюты которых нет в Fracti, а не {found}",
    ),
    (
        "the currency must be {first}, as in the rows above, not {found}",
        "валюта должна быть {first}, как в строках выше, а не {found}",
    ),
    ("the list of bills is empty", "список счетов пуст"),
    (
        "the file has the transactions that IHateMoney proposes, not those that happened; export \
         the bills",
        "в файле переводы, которые предлагает IHateMoney, а не те, что были; выгрузите счета",
    ),
    (
        "the main currency must have the exchange_rate 1",
        "у основной валюты должен быть exchange_rate 1",
    ),
    ("a section must have at most {most} lines", "строк в разделе должно быть не больше {most}"),
    (
        "the file has no section of bills; export it again",
        "в файле нет раздела со счетами; выгрузите его заново",
    ),
    (
        "the line must be the header of a known section",
        "эта строка должна быть заголовком известного раздела",
    ),
    (
        "a section with this header must appear only once",
        "раздел с таким заголовком не должен повторяться",
    ),
    ("the section must have a column {column}", "в разделе должен быть столбец {column}"),
    ("another member has the name, too", "это имя есть и у другого участника"),
    (
        "{field} is {day}, by the timestamp, not {found}",
        "{field} по timestamp — {day}, а не {found}",
    ),
    ("{field} must be the id of a participant", "{field} должно быть id участника"),
    (
        "{field} must have each participantId only once",
        "значения participantId в {field} не должны повторяться",
    ),
    (
        "{field} must have shares that do not sum to 0",
        "сумма долей в {field} не должна быть равна 0",
    ),
    (
        "only the cell of the payer must have the sign of the cost",
        "знак стоимости должен быть только в ячейке плательщика",
    ),
    (
        "the cell of the payer must have the sign of the cost, or be 0",
        "в ячейке плательщика должен быть знак стоимости или 0",
    ),
    (
        "the payer must be a member whose cell is 0",
        "плательщиком должен быть участник, в ячейке которого 0",
    ),
    ("the cells of the members exceed the cost", "ячейки участников превышают стоимость"),
    (
        "the cells of the members sum to {sum}, not to 0",
        "сумма ячеек участников — {sum}, а должна быть 0",
    ),
    ("the cells must sum to 0", "сумма ячеек должна быть равна 0"),
    ("the totals in {currency} must appear only once", "итоги в {currency} не должны повторяться"),
    (
        "the file ends without the totals in {currency}, so rows may be missing; export it again",
        "в конце файла нет итогов в {currency}, строк может не хватать; выгрузите его заново",
    ),
    ("version must be {known}, not {found}", "значение version должно быть {known}, а не {found}"),
    (
        "members and balances are missing: the file must have the first page of the export",
        "нет members и balances: в файле должна быть первая страница выгрузки",
    ),
    (
        "the file has {count} of {expected} entries: it must have all pages of the export, as \
         fracti-admin export writes them",
        "записей в файле — {count} из {expected}: нужны все страницы выгрузки, как их пишет \
         fracti-admin export",
    ),
    (
        "{field} must be {index}: the entries must be in order",
        "{field} должно быть {index}: записи должны идти по порядку",
    ),
    (
        "{field} {id} must be unique among applied entries",
        "{field} {id} не должно повторяться среди действующих записей",
    ),
    ("{field} {id} must be unique", "{field} {id} не должно повторяться"),
    (
        "{field} {id} must be of one expense only",
        "{field} {id} должно принадлежать только одному расходу",
    ),
    ("{field} must be the entryId", "{field} должно совпадать с entryId"),
    (
        "{field} must be completed, as the entry is applied",
        "{field} должно быть completed: запись действует",
    ),
    (
        "{field} must not be completed, as the settlement has no entry",
        "{field} не должно быть completed: у расчёта нет записи",
    ),
    ("{field} in {currency} must sum to 0", "сумма {field} в {currency} должна быть равна 0"),
    (
        "{field} must change only sent and received in an adjustment",
        "{field} в корректировке может менять только sent и received",
    ),
    ("{field} must not have a negative amount", "в {field} не должно быть отрицательных сумм"),
    (
        "{field} must be the id of a member in members",
        "{field} должно быть id участника из members",
    ),
];

/// The subjects of rules that are no paths, in Russian as texts of the neuter gender.
pub(super) const SUBJECTS: &[(&str, &str)] = &[
    ("the body", "тело запроса"),
    ("the amount", "значение суммы"),
    ("the currency", "обозначение валюты"),
    ("the date", "значение даты"),
    ("the description", "описание"),
    ("the name of a member", "имя участника"),
    ("the rest", "значение остатка"),
    ("the sum", "значение суммы"),
    ("the sum of the lines", "значение суммы строк"),
    ("a key of categories", "имя ключа в categories"),
    ("a key of registry", "имя ключа в registry"),
];
