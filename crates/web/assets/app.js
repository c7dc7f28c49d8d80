// The script of the page. It signs requests, shows the fragment of a path, and sends forms to the
// API. A screen needs no script of its own: these attributes say what happens.
//
//   data-title                  heading whose text is the title of the document
//   data-main                   main button, which Telegram's replaces
//   form: data-method, action   request to the API; the name of a control is the path of its field
//         data-then             where to go after it; {id} is that of the response; empty: same screen
//         data-etag             state that the form edits, sent as If-Match
//         data-preview          operation that says the shares of a draft
//         data-get              leads to its action with its fields as query
//         data-save             is sent by itself after each change
//         data-list             field that is sent also if it is an empty list
//         data-undo             method and path that take the change back, offered for some seconds; {id} is that of
//                               the response; data-undo-body is its body
//         data-done             what is said after it; data-pending if the response has this status; {name} is the
//                               value of a control or of the response, {amount} that of the response
//         data-me               the reader, in the form of a payment
//         data-write-access     the bot may write to the reader, whom Telegram asks for it first
//         data-ask              what is asked before it is sent, or by the chosen option of a choice
//         The device keeps a draft of what is entered.
//         data-currency, data-digits, data-used   currency of its amounts if it has no control for it, its
//                             decimals, and the currencies in use
//   data-currency               button that opens the list of currencies; the control before it has the code, and
//                               in data-digits its decimals
//   control: data-decimal       an amount as people type it
//            data-number        a percentage, a weight or a number of pieces
//            data-today         gets the day that it is where the reader is, as does the end of a link
//            data-json          its value is JSON, as true or 3
//            data-null          it is sent as null if it is empty
//            data-fresh         its value is a new id, or a new key
//            data-counts        check box that decides if the other controls of its row are sent
//            data-index         index of a row of the list of this name
//   data-instead                if a box in it is checked, the control of this name is not sent
//   data-total                  amount of the draft
//   data-row                    a member's or a line's controls; its check box decides if they count
//   data-people                 choice or list whose options are the members of the form, each of them sent once
//   data-each                   template that is shown for each of these members, or for those whose option has this
//                               word: in its attributes and texts, {id}, {name} and {at} are the member's id, name and
//                               place in the list, {hue} and {initials} those of the option, and {takes} that of the
//                               option, or else of the list
//         data-given            who is ticked in it, with the values of their data-value; a hidden one of a member who
//                               has none is left out
//   data-of                     shown for these split types only; usual: that of the group
//   data-share                  share of this member
//   data-step                   button that changes the number beside it
//   data-add, data-remove       adds a copy of a template, removes its row or, of several rows, its data-part
//   data-guess                  button with the category that the description suggests, which leads to its control
//   data-region                 currency that is at first the last one of the device, or that of the reader's region
//   data-all, data-none         buttons that tick all rows of the form's list, or none; data-last is shown beside
//                               them if the rows are ticked as they were last time
//   data-grows                  field that is shown once the one before it is filled
//   data-filter                 field that shows the rows of the form's list that have its text
//   data-rest                   button that says what is left of the amount, and gives it to the row touched last
//   data-sum                    button whose text has the amount of the form; it has data-missing until that and the
//                               description are entered
//   data-schedules              operation that makes a schedule of the expense of the form; data-repeat is the choice
//                               of how often
//   data-options                choice whose options are those at this path, once its details are opened
//   data-refresh                seconds after which the screen is loaded again while it is visible
//   data-go                     path to go on to at once
//   data-more                   link to the next page of a list, which is shown in its place: what is in the
//                               data-pages of that page
//   data-remember               choice that this device proposes next time, under this name; of check boxes,
//                               those that were not ticked
//   data-keep                   name of a control whose value the same form has afterwards, too
//   data-zone                   field that has a list of time zones, and at first that of the device
//   data-unread, data-number    shown if the group has changes that this device has not shown
//   data-read, data-number      the last change that is shown now
//   data-show                   receives this field of the answer: {…} in its attributes, or as its text; with
//                               data-once, it is pressed then
//   time                        day or moment, which is written by the clock of the device
//   data-find                   field that shows the rows of the list of the screen that have its text
//   data-copy, data-open, data-share-link, data-token, data-sign-out, data-language, data-export

const root = document.documentElement;
const main = document.getElementById('main');
const progress = document.getElementById('progress');
const status = document.getElementById('status');
const version = document.querySelector('meta[name=version]').content;
const bot = document.querySelector('meta[name=bot]')?.content;

// --- Who reads: init data of Telegram, or an API token. Both come in the fragment of the URL.

const launch = new URLSearchParams(location.hash.slice(1));
const store = (area, name, value) => {
  try {
    if (value) window[area].setItem(name, value);
    return window[area].getItem(name);
  } catch { return value } // Storage is denied.
};
const forget = (area, ...names) => {
  try { names.length ? names.forEach((name) => window[area].removeItem(name)) : window[area].clear() } catch { /* So it has nothing. */ }
};
const platform = store('sessionStorage', 'platform', launch.get('tgWebAppPlatform'));
const initData = store('sessionStorage', 'initData', launch.get('tgWebAppData'));
let token = initData ? null : store('localStorage', 'token');
let authorization = initData ? `tma ${initData}` : token && `Bearer ${token}`;
const signed = new URLSearchParams(initData ?? '');
const user = JSON.parse(signed.get('user') ?? '{}');
// What a device remembers is of one user: accounts share its storage.
const own = (name) => `${user.id ?? token?.slice(-8)}:${name}`;
const chosen = () => store('localStorage', 'language') ?? user.language_code ?? navigator.language;
root.lang = chosen().startsWith('ru') ? 'ru' : 'en';
const ru = root.lang === 'ru';
if (/^(ar|fa|he|ur)/.test(store('sessionStorage', 'direction', launch.get('direction')) ?? '')) root.dir = 'rtl';

const texts = TEXTS;
// In the order of the languages.
const text = (name) => texts[name][ru ? 1 : 0];

// --- Requests.

class Failure extends Error {
  constructor(status, problem) { super(problem.error === 'NOT_A_MEMBER' ? text('stranger') : problem.message); this.status = status; this.problem = problem }
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function request(method, url, { body, headers = {}, signal, tries = 2 } = {}) {
  const base = { authorization, 'accept-language': root.lang, accept: 'application/json;amounts=text' };
  const json = body !== undefined && !(body instanceof FormData);
  if (json) base['content-type'] = 'application/json';
  signal ??= AbortSignal.timeout(20_000);
  const response = await fetch(url, {
    method, signal, cache: 'no-store', headers: { ...base, ...headers }, body: json ? JSON.stringify(body) : body,
  });
  const isJson = response.headers.get('content-type')?.includes('json');
  const answer = isJson ? await response.json() : await response.text();
  if (response.ok) return { answer, response };
  // With its key, it may be sent once more.
  if (tries > 1 && (answer.error === 'CONFLICT' || response.status === 503)) {
    await wait(1000 * Math.min(3, Number(response.headers.get('retry-after') ?? 1)));
    return request(method, url, { body, headers, tries: tries - 1 });
  }
  throw new Failure(response.status, isJson ? answer : { message: response.statusText });
}

// What the first screen does not need. A browser may keep that a script could not be loaded, so another try
// has another address.
let rest, tries = 0;
const more = () => rest ??= import(`/app/more.js?v=${version}${'&again'.repeat(tries)}`).then((it) => {
  it.start({
    languageCode: user.language_code, request, screen, seen, remember, parsed, tell, store, own, say, clear, dayOf, dayNow, values, ru, Failure, parent, Telegram, telegramButtons, empty, anew, forget, expand, visit, here, isDirty: () => dirty,
    offline: text('offline'),
  });
  return it;
}).catch((error) => {
  rest = undefined;
  tries += 1;
  throw error;
});

// --- Days and moments, by the clock of the device.

const two = (number) => String(number).padStart(2, '0');

// The date on the clock at a moment, or some hours earlier.
function dayOf(at, hours = 0) {
  const clock = new Date(at);
  clock.setHours(clock.getHours() - hours);
  return [clock.getFullYear(), two(clock.getMonth() + 1), two(clock.getDate())].join('-');
}

// What happens before 04:00 belongs to the evening before.
const dayNow = () => dayOf(Date.now(), 4);

// A day is today until 04:00; beside the time of a moment, a word is of the date on the clock.
function tell(time) {
  const at = time.dateTime, isMoment = at.includes('T'), date = isMoment ? dayOf(at) : at;
  const now = isMoment ? dayOf(Date.now()) : dayNow();
  const away = (Date.parse(now) - Date.parse(date)) / 864e5;
  let day = [text('today'), text('yesterday')][away];
  if (day && !time.previousSibling) day = day[0].toUpperCase() + day.slice(1);
  if (!day && !isMoment && time.textContent) return;
  const year = date.slice(0, 4) === now.slice(0, 4) ? undefined : 'numeric', clock = new Date(at);
  day ??= new Intl.DateTimeFormat(ru ? 'ru' : 'en-GB', { day: 'numeric', month: 'short', year }).format(clock).replace(' ', '\u00a0');
  // A heading is of the day of the moments below it.
  time.textContent = isMoment && !time.closest('h2') ? `${day}, ${two(clock.getHours())}:${two(clock.getMinutes())}` : day;
}

// --- Screens.

const seen = new Map(JSON.parse(store('sessionStorage', own('seen')) ?? '[]'));
let current, refreshing, flush;
let dirty = false; // Whether the screen has an entry that is not recorded yet.
let draft; // The form whose entry it is, if the device keeps drafts of it.
const files = new Map(); // Forms of a file by their screens: no draft can have a file.

// Telegram asks before it closes over such a form.
function entry(is, form) {
  dirty = is;
  draft = form;
  const app = Telegram(), [closing, swipes] = is && form ? ['enable', 'disable'] : ['disable', 'enable'];
  app?.[`${closing}ClosingConfirmation`]?.();
  app?.[`${swipes}VerticalSwipes`]?.();
}

// The screen as it was left: with the pages of its list that were loaded, and at its place.
async function place(top) {
  const { pages } = history.state ?? {};
  if (pages) await more().then((it) => it.extend(pages), () => {});
  scrollTo(0, top);
}

function remember(path, html) {
  seen.delete(path);
  seen.set(path, html);
  while (seen.size > 12) seen.delete(seen.keys().next().value);
  store('sessionStorage', own('seen'), JSON.stringify([...seen]));
}

const parsed = (html) => new DOMParser().parseFromString(html, 'text/html').body.childNodes;

function show(html, focus) {
  main.replaceChildren(...parsed(html));
  main.removeAttribute('aria-busy');
  empty();
  flush = undefined;
  main.querySelectorAll('time').forEach(tell);
  for (const it of main.querySelectorAll('[data-today]')) {
    if (it.href) it.href = it.href.replace(/[\d-]{10}$/, dayNow());
    else it.value ||= dayNow();
  }
  const heading = main.querySelector('[data-title]');
  if (heading) {
    document.title = heading.textContent;
    if (focus) heading.focus({ preventScroll: true });
  }
  main.querySelectorAll('form').forEach(prepare);
  main.querySelectorAll('[data-token]').forEach((it) => { it.hidden = Boolean(token) });
  main.querySelectorAll('[data-sign-out]').forEach((it) => { it.hidden = !token });
  news();
  telegramButtons();
  rest?.then((it) => it.beside(), () => {});
  clearTimeout(refreshing);
  (window.requestIdleCallback ?? setTimeout)(() => more().then((it) => it.endless(), () => {}));
  const seconds = main.querySelector('[data-refresh]')?.dataset.refresh;
  if (seconds) refreshing = setTimeout(refresh, seconds * 1000);
}

// A group that this device has not shown before has nothing unread, nor has what was written here.
let wrote = 0;
function news() {
  for (const it of main.querySelectorAll('[data-read], [data-unread]')) {
    const { read, unread, number } = it.dataset;
    const name = own(`read:${read ?? unread}`), known = Number(store('localStorage', name) ?? number);
    const shown = Math.max(known, read ? number : Math.min(number, known + wrote));
    store('localStorage', name, String(shown));
    if (read) continue;
    wrote = 0;
    it.hidden = number <= shown;
    it.querySelector('[data-count]').textContent = number - shown;
  }
}

// What was chosen last time on this device is proposed for a new expense.
function propose(form) {
  for (const control of form.querySelectorAll('[data-remember]')) {
    const value = store('localStorage', own(control.dataset.remember));
    if (control.type === 'checkbox') {
      // A member who has joined since takes part.
      if (value?.split(' ').includes(control.value)) control.checked = false;
    } else if (value && (!control.options || [...control.options].some((it) => it.value === value))) control.value = value;
  }
}

// What the controls of a form have: by their names, and those of check boxes by their values, too.
const values = (form) => Object.fromEntries([...form.elements]
  .filter((it) => it.name && (it.dataset.digits || !/hidden|file/.test(it.type)) && (it.type !== 'radio' || it.checked))
  .map((it) => it.type === 'checkbox' ? [`${it.name}=${it.value}`, it.checked] : [it.name, it.value]));

function refresh() {
  if (document.hidden || dirty) refreshing = setTimeout(refresh, 2000);
  else visit(here(), { push: false, focus: false, quiet: true });
}

const here = () => location.pathname + location.search;

// With a button that tries again, or else with a link to the bot.
function message(title, detail, button) {
  const heading = Object.assign(document.createElement('h1'), { textContent: title, tabIndex: -1 });
  heading.dataset.title = '';
  const parts = [heading];
  if (detail) parts.push(Object.assign(document.createElement('p'), { className: 'card empty', textContent: detail }));
  const back = Object.assign(document.createElement('a'), { className: 'back', href: '/app', textContent: text('back') });
  if (authorization && location.pathname !== '/app') parts.unshift(back);
  if (button) {
    const again = Object.assign(document.createElement('button'), { className: 'small-button', textContent: button });
    again.addEventListener('click', () => visit(here(), { push: false }));
    parts.push(again);
  }
  if (!authorization && bot) parts.push(Object.assign(document.createElement('img'), { className: 'qr', src: '/app/bot.svg', alt: '' }), Object.assign(document.createElement('a'), { className: 'small-button', href: `https://t.me/${bot}`, textContent: `@${bot}` }));
  main.replaceChildren(...parts);
  main.removeAttribute('aria-busy');
  document.title = title;
  heading.focus({ preventScroll: true });
  telegramButtons();
}

// The fragment at a URL. Screens only read, so a group with rows of an earlier format is read by the API
// first, which converts them.
async function screen(url) {
  const get = (from) => request('GET', from, { signal: AbortSignal.timeout(8000) });
  try {
    return await get(url);
  } catch (error) {
    if (error.status !== 503) throw error;
    const group = url.match(/^\/screens\/groups\/([^/?]+)/)?.[1];
    await get(group ? `/api/groups/${group}/debts` : '/api/users/me/summary');
    return get(url);
  }
}

async function visit(path, { push = true, focus = true, top, quiet = false } = {}) {
  if (!quiet) flush?.(), wanted = null;
  const from = here(), left = !quiet && dirty && draft;
  // Nothing is lost, so nothing is asked.
  if (left) {
    keepDraft();
    if (left.hasAttribute('data-file')) files.set(left.path, left);
    say(text('draft'));
    entry(false);
  }
  if (push) history.pushState({ depth: (history.state?.depth ?? 0) + 1 }, '', path);
  const mine = current = Symbol(path);
  const known = seen.get(path);
  if (known && !quiet) {
    show(known, focus);
    await place(top ?? 0);
  }
  const slow = setTimeout(() => { progress.hidden = quiet }, 150);
  try {
    const url = path.replace(/^\/app/, '/screens').replace(/\/$/, '');
    const { answer, response } = await screen(url);
    if (mine !== current) return;
    if (response.headers.get('x-page-version') !== version && !store('sessionStorage', 'reloaded')) {
      store('sessionStorage', 'reloaded', version);
      return location.reload();
    }
    remember(path, answer);
    // What a reader has begun to enter is not replaced.
    if (answer === known || dirty) return;
    const at = known || quiet ? scrollY : top ?? 0, held = quiet && !focus && (await more()).hold();
    show(answer, focus && !known);
    if (held) held();
    await place(at);
    const go = main.querySelector('[data-go]')?.dataset.go;
    if (go) { history.replaceState(history.state, '', go); await visit(go, { push: false }) }
  } catch (error) {
    if (mine !== current || quiet) return;
    if (error.status === 401 && token) {
      forget('localStorage', 'token');
      authorization = null;
      message(text('telegram'), text('ended'));
    } else if (error.status === 401) message(text('expired'), text('session'));
    else if (error instanceof Failure) message(error.message.replace(/\.$/, ''), details(error).join('. '));
    else if (known) say(text('old'));
    else if (push && main.querySelector('[data-title]')) {
      // What was shown stays, and where it was.
      history.replaceState(history.state, '', from);
      if (left) entry(true, left);
      wanted = path;
      say(text('offline'), text('again'), () => visit(path));
    } else message(text('offline'), '', text('again'));
  } finally {
    clearTimeout(slow);
    progress.hidden = true;
  }
}

const details = (error) => (error.problem.details ?? []).map((detail) => detail.message);

// Says something for some seconds, with a button if there is something to do about it.
function say(what, label, action) {
  clearTimeout(say.timer);
  status.textContent = what;
  if (label) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
    button.addEventListener('click', () => { status.textContent = ''; action() });
    status.append(' ', button);
  }
  const hide = () => {
    // What can be done about it stays while there is no connection.
    if (status.matches(':hover, :focus-within') || label && !navigator.onLine) say.timer = setTimeout(hide, 1000);
    else status.textContent = '';
  };
  say.timer = setTimeout(hide, label ? 10_000 : 5000);
}

// The draft of the entry on the screen, which lasts until it is recorded.
const keepDraft = () => {
  const form = dirty && draft;
  if (form) rest?.then((it) => it.keepDraft(form));
};

// The screen has no entry any more.
const empty = () => entry(false);
// The form of the screen again, without the draft.
const anew = () => {
  empty();
  visit(here(), { push: false });
};

addEventListener('click', (event) => {
  const target = event.target;
  const button = target.closest('button[type=button]');
  if (button) more().then((it) => it.act(button), () => say(text('offline')));
  const link = target.closest('a[href^="/app"]');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.replaceState({ ...history.state, top: scrollY }, '');
  visit(link.pathname + link.search);
});

addEventListener('keydown', (event) => {
  const { key, target } = event, held = event.metaKey || event.ctrlKey;
  if (target.closest('input, textarea, select, dialog') || event.altKey) return;
  if (key === 'n' && !held) main.querySelector('a[data-main]')?.click();
  if (key === 'z' && held && !event.shiftKey) status.querySelector('button')?.click();
});

addEventListener('popstate', (event) => {
  // A link that signs in was opened here.
  if (/[#&]code=/.test(location.hash)) location.reload();
  else visit(here(), { push: false, top: event.state?.top });
});
addEventListener('pagehide', keepDraft);
addEventListener('visibilitychange', () => document.hidden ? keepDraft() : look(true));
addEventListener('focus', look);

// --- What others do. A group's screen is loaded again if the group has changed: when the reader comes back
// to it, and every ten seconds while they use it. What was asked for without a connection is shown once there is one.

let number, touched = Date.now(), looking, wanted;
for (const it of ['pointerdown', 'keydown']) addEventListener(it, () => { touched = Date.now() }, { passive: true });
addEventListener('online', look);
setInterval(() => { if (Date.now() - touched < 6e5) look() }, 10_000);

async function look(event) {
  const group = location.pathname.match(/^\/app(\/groups\/[^/]+)/)?.[1];
  // The start, of all groups, is loaded again when the reader comes back to it.
  const isStart = event && /^\/app(\/me)?$/.test(location.pathname);
  if (!group && !isStart || !authorization || document.hidden || looking || main.ariaBusy) return;
  looking = true;
  try {
    if (!group) return await visit(wanted ?? here(), wanted ? {} : { push: false, focus: false, quiet: true });
    const { answer } = await request('GET', `/screens${group}/number`, { tries: 1 });
    if (wanted) return visit(wanted);
    const now = `${group} ${answer}`, is = (it) => it?.startsWith(`${group} `);
    const changed = is(number) && number !== now;
    number = now;
    // An entry stays as it is.
    if (changed && location.pathname.startsWith(`/app${group}`) && !dirty) {
      seen.clear();
      await visit(here(), { push: false, focus: false, quiet: true });
    }
  } catch { /* The next time tells. */ } finally { looking = false }
}

// --- Forms.

function clear(form, only) {
  for (const control of only ? [only] : form.querySelectorAll('[aria-invalid]')) {
    document.getElementById(control.getAttribute('aria-describedby'))?.remove();
    control.removeAttribute('aria-invalid');
    control.removeAttribute('aria-describedby');
  }
}

// The rows of members in a part of a form. Each member is sent once, however many lists have them.
function expand(part, form) {
  const list = form.querySelector('[data-people]');
  for (const template of part.querySelectorAll('[data-each]')) {
    const { each, given } = template.dataset, those = given && JSON.parse(given);
    template.replaceWith(...[...list.options].filter((it) => !each || each in it.dataset).map(({ value: id, textContent: name, dataset }, at) => {
      const row = template.content.cloneNode(true);
      const of = { id, name, at, takes: list.dataset.takes.replace('{name}', () => name), ...dataset };
      const fill = (it) => it.replace(/{(\w+)}/g, (_, word) => of[word]);
      for (const it of row.querySelectorAll('*')) {
        for (const one of it.attributes) if (one.value.includes('{')) one.value = fill(one.value);
        if (!it.firstElementChild && it.textContent) it.textContent = fill(it.textContent);
      }
      if (those) row.querySelector('[type=checkbox]').toggleAttribute('checked', id in those);
      for (const it of row.querySelectorAll('[data-value]')) {
        if (those?.[id]) it.setAttribute('value', those[id]);
        else if (it.type === 'hidden') it.remove();
      }
      return row;
    }));
  }
}

function prepare(form) {
  expand(form, form);
  let timer, keeping;
  const data = form.dataset;
  const isMain = Boolean(form.querySelector('[data-main]'));
  const kept = files.get(here());
  if (kept && form.hasAttribute('data-file')) {
    form.replaceWith(kept);
    return entry(true, kept);
  }
  const isEntry = data.method && Object.keys(values(form)).length > 0 || form.hasAttribute('data-file');
  const drafted = isEntry && data.save === undefined;
  // Without a type, the group's default split divides it.
  const type = () => form.elements.splitType?.value || 'usual';
  // Controls that do not count are disabled, so that they are not sent.
  const arrange = () => {
    for (const part of form.querySelectorAll('[data-of]')) {
      part.hidden = !part.dataset.of.split(' ').includes(type());
      for (const it of part.matches('input, select') ? [part] : part.querySelectorAll('input, select')) it.disabled = part.hidden;
    }
    for (const row of form.querySelectorAll('[data-row]')) {
      const box = row.querySelector('[data-counts]');
      if (!box) continue;
      row.querySelectorAll('input, select').forEach((it) => {
        if (it !== box) it.disabled = !box.checked || Boolean(it.closest('[data-of][hidden]'));
      });
    }
    for (const part of form.querySelectorAll('[data-instead]')) {
      const other = form.elements[part.dataset.instead];
      other.closest('.field').hidden = other.disabled = Boolean(part.querySelector('[data-counts]:checked'));
    }
  };
  const preview = () => more().then((it) => it.preview(form)).catch(() => {});
  const send = async (submitter) => {
    const button = submitter ?? form.querySelector('[data-main]') ?? form.querySelector('button:not([type=button])');
    const problem = form.querySelector('[data-problem]') ?? document.createElement('p');
    if (form.ariaBusy === 'true') {
      if (data.save !== undefined) timer = setTimeout(send, 300);
      return;
    }
    if (data.save !== undefined) flush = undefined;
    form.ariaBusy = 'true';
    if (button) button.ariaBusy = 'true';
    problem.hidden = true;
    Telegram()?.hideKeyboard?.();
    Telegram()?.MainButton?.showProgress?.(true);
    // It lasts until the API has answered, also if the entry is changed after a lost answer.
    data.key ??= crypto.randomUUID();
    const headers = { 'idempotency-key': data.key };
    if (data.etag) headers['if-match'] = data.etag;
    const isFile = form.hasAttribute('data-file');
    const file = form.elements.file?.files?.[0];
    // A file has its own way to be recorded once, and the plan before it is no write.
    if (isFile) delete headers['idempotency-key'];
    let lib, paths = new Map();
    try {
      lib = await more();
      if (data.writeAccess !== undefined) await lib.writeAccess();
      const unclear = lib.unclear(form);
      if (unclear) return unclear.focus();
      let body, url = form.getAttribute('action');
      if (isFile) body = lib.upload(form);
      else ({ body, paths, url } = lib.addressed(form, lib.read(form)));
      const sent = data.method === 'DELETE' ? undefined : body;
      let { answer } = await request(data.method, url, { body: sent, headers });
      // Another file may have been chosen in the meantime.
      if (isFile && Array.isArray(answer.data.members)) return file === form.elements.file.files[0] ? await lib.plan(form, answer.data) : undefined;
      // A large import or its undo is done in parts.
      while (answer.data?.status === 'running' || answer.data?.status === 'undoing') {
        ({ answer } = await request(data.method, `${url}?run=${answer.data.run}`, { body: sent }));
      }
      delete data.key;
      clearTimeout(keeping);
      lib.forgetDraft(form);
      files.delete(here());
      lib.storeZone();
      wrote += 1;
      // What was entered meanwhile is sent next.
      entry(data.save !== undefined && Boolean(flush));
      clear(form);
      lib.keep(form);
      if (data.save === undefined) Telegram()?.HapticFeedback?.notificationOccurred('success');
      const { then, keep: name } = submitter?.dataset ?? {};
      const kept = form.elements[name]?.value;
      await lib.done(form, answer, then, isFile && lib.imported(answer.data));
      const again = kept && main.querySelector(`[name="${name}"]`);
      if (again) again.value = kept;
    } catch (error) {
      if (!(error instanceof Failure)) {
        problem.textContent = text('kept');
        problem.hidden = false;
        if (!problem.isConnected) say(text('kept'));
        return;
      }
      delete data.key;
      await lib.refused(form, error, { problem, paths, send, drafted, isMain });
    } finally {
      form.ariaBusy = 'false';
      if (button) button.ariaBusy = 'false';
      Telegram()?.MainButton?.hideProgress?.();
    }
  };
  form.addEventListener('input', (event) => {
    if (event.target !== form) clear(form, event.target);
    // A tick is one piece.
    const pieces = event.target.checked && event.target.closest('[data-row]')?.querySelector('[data-least]');
    if (pieces && !pieces.value) pieces.value = pieces.dataset.least;
    // Another file has another plan.
    if (event.target.type === 'file') {
      form.querySelector('[data-plan]').replaceChildren();
      form.answers = {};
      form.confirm = undefined;
      const button = form.querySelector('[data-label]');
      button.textContent = button.dataset.first ?? button.textContent;
    }
    if (isEntry) entry(true, drafted ? form : undefined);
    if (drafted) {
      clearTimeout(keeping);
      keeping = setTimeout(keepDraft, 300);
    }
    if (data.save !== undefined) flush = () => { clearTimeout(timer); send() };
    arrange();
    if (data.preview === undefined && data.save === undefined) return;
    // It was about what the entry was before.
    form.querySelector('[data-note].error')?.replaceChildren();
    clearTimeout(timer);
    timer = data.save === undefined ? setTimeout(preview, 250) : setTimeout(send, 800);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const question = form.querySelector('option:checked[data-ask]')?.dataset.ask ?? data.ask;
    if (question) return more().then((it) => it.ask(question, event.submitter)).then((yes) => yes && send(event.submitter), () => say(text('offline')));
    if (data.get === undefined) return send(event.submitter);
    const fields = [...new FormData(form)].filter(([, value]) => value);
    return visit(`${form.getAttribute('action')}?${new URLSearchParams(fields)}`);
  });
  propose(form);
  arrange();
  form.first = values(form);
  form.path = here();
  // A screen has one main form, and small ones.
  form.at = isMain ? form.path : [form.path, form.getAttribute('action'), Object.keys(form.first)[0]].join(' ');
  more().then((it) => {
    it.watch(form);
    if (drafted && it.restore(form)) entry(true, form);
  }, () => {});
  if (form.querySelector('[autofocus]') && !platform) form.querySelector('[autofocus]').focus({ preventScroll: true });
  if (data.preview !== undefined && (form.querySelector('[name=amount]')?.value || form.querySelector('[name^="items["]'))) preview();
}

// The screen above that of a form.
const parent = (form) => (form.dataset.then || here()).replace(/\/\{id\}.*$/, '');

// --- Telegram. Its script is loaded only inside of it, and nothing waits for it.

const Telegram = () => window.Telegram?.WebApp;

function theme(colors) {
  for (const [name, color] of Object.entries(colors)) {
    if (/^#[0-9a-f]{6}$/i.test(color)) root.style.setProperty(`--tg-theme-${name.replaceAll('_', '-')}`, color);
  }
  const light = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).reduce((sum, it) => sum + it) > 384;
  if (colors.bg_color) root.dataset.scheme = light(colors.bg_color) ? 'light' : 'dark';
}

function telegramButtons() {
  const app = Telegram(), button = main.querySelector('[data-main]');
  if (!app?.MainButton) return;
  rest?.then((it) => it.settingsButton(), () => {});
  if (history.state?.depth || location.pathname !== '/app') app.BackButton?.show();
  else app.BackButton?.hide();
  root.toggleAttribute('data-main-button', Boolean(button));
  if (!button) return app.MainButton.hide();
  app.MainButton.setText(button.textContent.trim()).show();
  // What is missing is said by the page's own button.
  app.MainButton[button.dataset.missing === undefined ? 'enable' : 'disable']?.();
}

function startTelegram() {
  const app = Telegram();
  if (!app) return;
  app.ready();
  app.expand();
  app.onEvent?.('themeChanged', () => theme(app.themeParams));
  app.onEvent?.('activated', () => look(true));
  app.onEvent?.('deactivated', keepDraft);
  more().then((it) => it.dress(), () => {});
  app.BackButton?.onClick(() => {
    if (history.state?.depth) history.back();
    else visit(main.querySelector('.back')?.pathname ?? '/app');
  });
  app.MainButton?.onClick(() => main.querySelector('[data-main]')?.click());
  telegramButtons();
}

try { theme(JSON.parse(store('sessionStorage', 'theme', launch.get('tgWebAppThemeParams')) ?? '{}')) } catch { /* Default colours. */ }
if (platform) {
  root.dataset.telegram = platform;
  const script = Object.assign(document.createElement('script'), { src: 'https://telegram.org/js/telegram-web-app.js', async: true });
  script.addEventListener('load', startTelegram);
  document.head.append(script);
}

// --- Start: where the link leads, or the screen of the path.

// A start parameter names a group with the code of its invitation, its members, or a question.
function started() {
  const parameter = signed.get('start_param') ?? launch.get('tgWebAppStartParam') ?? new URLSearchParams(location.search).get('start');
  const match = parameter?.match(/^([gmq])_([\w-]{32,36})(?:_([\w-]+))?$/);
  // A reload does not lead there again, another tap on the link does.
  const launched = signed.get('hash') ?? parameter;
  if (!match || store('sessionStorage', 'started') === launched) return null;
  store('sessionStorage', 'started', launched);
  const dashed = (id) => id.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5');
  const group = `/app/groups/${dashed(match[2])}`;
  if (match[1] === 'm') return `${group}/members`;
  return match[1] === 'q' ? `${group}/questions/${dashed(match[3] ?? '')}` : `/app/join/${dashed(match[2])}${match[3] ? `?code=${match[3]}` : ''}`;
}

// A direct link in a group's chat opens the group of the chat, once: the list is one tap back. Whoever
// creates it names it; a guest may turn out to be a new member. A member who has left is not brought back
// by a device that knew them.
async function chat() {
  const instance = signed.get('chat_instance'), opened = own(`opened:${instance}`);
  if (!instance || signed.get('start_param') || !/group$/.test(signed.get('chat_type') ?? 'group')) return null;
  if (store('sessionStorage', opened) === signed.get('hash')) return null;
  store('sessionStorage', opened, signed.get('hash'));
  const signal = AbortSignal.timeout(8000);
  try {
    const { answer: { data: [known] } } = await request('GET', `/api/groups?chatId=${encodeURIComponent(instance)}&limit=1`, { signal });
    if (known) {
      store('localStorage', opened, 'yes');
      return `/app/groups/${known.id}`;
    }
    if (store('localStorage', opened)) return null;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { answer } = await request('POST', '/api/groups/open', { body: {}, headers, signal });
    store('localStorage', opened, 'yes');
    return `/app/groups/${answer.data.id}/welcome`;
  } catch (error) {
    // An archived group, or one that has removed the reader: their list says what there is.
    if (error instanceof Failure) say(error.message);
    return null;
  }
}

async function start() {
  let at = here();
  const code = !initData && launch.get('code');
  history.replaceState(history.state, '', at);
  if (code) {
    const { data, why } = await more().then((it) => it.signIn(code)).catch(() => ({ why: text('offline') }));
    if (data) {
      token = store('localStorage', 'token', data.token) ?? data.token;
      store('localStorage', 'tokenId', data.id);
      authorization = `Bearer ${token}`;
      seen.clear();
    } else if (!authorization && why) return message(text('signedIn'), why);
    else if (why) say(why);
  }
  if (!authorization) return message(text('telegram'), text('signIn'));
  if (location.pathname === '/app') {
    const first = started() ?? await chat();
    // The list is one step back.
    if (first) {
      history.replaceState(history.state, '', at);
      history.pushState({ depth: 1 }, '', first);
      at = first;
    }
  }
  return visit(at, { push: false });
}

start();
