// What the first screen does not need: amounts as people type them, exports, imports, and the zone of
// the reader's days. The page's script loads it when nothing else is to do, or with the first form.

// --- Amounts. The grammar is that of `typed` in crates/core, and both are tested over
// tests/fixtures/amounts.json. Calculations are exact: a number is units / of, of whole numbers.

// Signs that mean one currency. The last ones keep the sign if they are chosen.
const SIGNS = [
  ['€', 'EUR'], ['₽ руб руб. р р.', 'RUB BYN'], ['£', 'GBP EGP FKP GIP LBP SHP SSP SYP'], ['₴', 'UAH'], ['₸', 'KZT'],
  ['₾', 'GEL'], ['₺', 'TRY'], ['₹', 'INR'], ['₩', 'KRW KPW'], ['₫', 'VND'], ['₪', 'ILS'], ['฿', 'THB'], ['₿', 'BTC'],
  ['zł', 'PLN'], ['kč', 'CZK'], ['ft', 'HUF'], ['rp', 'IDR'], ['us$', 'USD'], ['c$', 'CAD NIO'], ['a$', 'AUD'], ['r$', 'BRL'],
];
// Signs that several currencies have, the most used ones first.
const SHARED = [
  ['$', 'USD AUD CAD MXN NZD SGD HKD TWD ARS CLP COP DOP UYU BBD BMD BND BSD BZD CUP FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD'],
  ['¥', 'JPY CNY'], ['kr kr.', 'SEK NOK DKK ISK'],
];
const OFFERED = 6;
const LIMIT = 2n ** 127n;

const has = (word) => ([signs]) => signs.split(' ').includes(word);
const signOf = (word) => SIGNS.find(has(word)) ?? SHARED.find(has(word));

// The text without invisible characters, with digits, marks and signs in one spelling each.
function plain(text) {
  return text.replace(/[\u00ad\u061c\u180e\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u206f]/g, '')
    .replace(/[\u0660-\u0669]/g, (it) => it.charCodeAt() - 0x660)
    .replace(/[\u06f0-\u06f9]/g, (it) => it.charCodeAt() - 0x6f0)
    .replace(/[\u0966-\u096f]/g, (it) => it.charCodeAt() - 0x966)
    .replace(/[\uff01-\uff5e]/g, (it) => String.fromCharCode(it.charCodeAt() - 0xfee0))
    .replace(/[￥￡￦−–×÷’]/g, (it) => '¥£₩--*/\''['￥￡￦−–×÷’'.indexOf(it)])
    .replace(/[\s\u0085]+/g, ' ').trim();
}

// The sum, and what names the currency before or after it.
function parted(text) {
  const of = '[^0-9.,٫٬ \'_+*/-]';
  const before = text.match(new RegExp(`^([+-]?) ?(${of}+)(\\.?)(.*)$`));
  if (before) {
    const [, sign, word, dot, rest] = before;
    return dot && signOf(`${word}.`.toLowerCase()) ? [sign + rest.trim(), `${word}.`] : [sign + (dot + rest).trim(), word];
  }
  const after = text.match(new RegExp(`^(.*?)(${of}+\\.?)$`));
  return after ? [after[1].trim(), after[2]] : [text];
}

// The currencies that a lower-case code or sign may mean.
function meant(word, chosen, used, known) {
  const code = word.toUpperCase();
  const found = signOf(word);
  if (!found) return known[code] === undefined ? [] : [code];
  const codes = found[1].split(' ');
  if (codes.includes(chosen)) return [chosen];
  if (SIGNS.includes(found)) return codes.slice(0, 1);
  const fitting = used.filter((it) => codes.includes(it));
  return fitting.length ? fitting : codes.slice(0, OFFERED);
}

const fit = (number) => {
  if (number >= LIMIT || number <= -LIMIT) throw new RangeError();
  return number;
};

function reduced(units, of) {
  if (!fit(of)) throw new RangeError();
  let [divisor, rest] = [of, fit(units)];
  while (rest) [divisor, rest] = [rest, divisor % rest];
  if (divisor < 0n) divisor = -divisor;
  return [units / divisor, of / divisor];
}
const plus = ([a, b], [c, d]) => reduced(fit(fit(a * d) + fit(c * b)), b * d);

// The number of units of 10^-decimals, halves rounded away from zero, and whether it was rounded.
function rounded([number, of], decimals) {
  const units = fit(number * 10n ** BigInt(decimals));
  const rest = units % of, size = rest < 0n ? -rest : rest;
  return [units / of + (size >= of - size ? (rest > 0n ? 1n : rest < 0n ? -1n : 0n) : 0n), rest !== 0n];
}

// The decimal mark of a term, or nothing; undefined for a term that is not a number. `marks` says if a
// mark before exactly three digits is 'decimal' or 'groups'; it is 'always' decimal in a percentage.
function decimalMark(term, marks) {
  const count = (mark) => term.split(mark).length - 1;
  if (count('٫')) return '٫';
  const [dots, commas] = [count('.'), count(',')];
  if (!dots && !commas) return '';
  if (dots && commas) {
    const last = term.lastIndexOf('.') > term.lastIndexOf(',') ? '.' : ',';
    return marks !== 'always' && count(last) === 1 ? last : undefined;
  }
  const mark = dots ? '.' : ',';
  if (marks === 'always') return count(mark) === 1 ? mark : undefined;
  return count(mark) > 1 || marks === 'groups' && /^[1-9]\d{0,2}[.,]\d{3}$/.test(term) ? '' : mark;
}

// The number that a term is, and how many decimals it is written with.
function termOf(term, marks) {
  const mark = decimalMark(term, marks);
  if (mark === undefined) throw new SyntaxError();
  const at = mark ? term.indexOf(mark) : term.length;
  let whole = term.slice(0, at);
  const fraction = term.slice(at + 1);
  const separator = whole.match(/[.,٬ '_]/)?.[0];
  if (separator) {
    const groups = whole.split(separator);
    const sizes = groups.map((it) => it.length).join(' ');
    if (!/^[123]( 3)+$|^[12]( 2)+ 3$/.test(sizes) || whole.startsWith('0')) throw new SyntaxError();
    whole = groups.join('');
  }
  const digits = whole + fraction;
  if (!/^\d+$/.test(digits)) throw new SyntaxError();
  return [[fit(BigInt(digits)), fit(10n ** BigInt(fraction.length))], fraction.length];
}

// The result of a sum, and the most decimals that a term has; with a product or a quotient, none.
function sum(text, marks) {
  const signed = /^[+-]/.test(text) ? text : `+${text}`;
  const parts = signed.split(/([+*/-])/).slice(1);
  let total = [0n, 1n], product = total, decimals = 0;
  for (let at = 0; at < parts.length; at += 2) {
    const [[units, of], scale] = termOf(parts[at + 1].trim(), marks);
    decimals = Math.max(decimals, scale);
    if (parts[at] === '*') product = reduced(fit(product[0] * units), fit(product[1] * of));
    else if (parts[at] === '/') product = reduced(fit(product[0] * of), fit(product[1] * units));
    else {
      total = plus(total, product);
      product = [parts[at] === '-' ? -units : units, of];
    }
  }
  return [plus(total, product), /[*/]/.test(text) ? 0 : decimals];
}

function written(units, decimals) {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return (units < 0n ? '-' : '') + digits.slice(0, point) + (fraction && `.${fraction}`);
}

// The amounts that a text may mean: none if it is refused, several if the reader is to be asked.
// `known` has the decimals of each currency. `fine` is the currency that has fewer decimals.
// Telegram asks the reader whether the bot may write to them. Whatever they answer, and in an older Telegram,
// the form is sent: if the bot cannot write, the screen says so.
export const writeAccess = () => new Promise((done) => {
  try { Telegram().requestWriteAccess(done) } catch { done() }
});

export function typed(text, chosen, used, known) {
  const [number, word] = parted(plain(text));
  const currencies = word ? meant(word.toLowerCase(), chosen, used, known) : [chosen];
  const reads = [];
  let fine;
  for (const currency of currencies.filter((it) => known[it] !== undefined)) {
    const digits = known[currency];
    // Where a currency has fewer than three decimals, three digits after a mark are a group.
    for (const marks of digits < 3 ? ['groups'] : ['decimal', 'groups']) {
      try {
        const [value, decimals] = sum(number, marks);
        if (decimals > digits) fine = currency;
        else {
          const [units, isRounded] = rounded(value, digits);
          if (units >= 2n ** 63n || units <= -(2n ** 63n)) continue;
          const amount = written(units, digits);
          if (!reads.some((it) => it.amount === amount && it.currency === currency)) reads.push({ amount, currency, ...isRounded && { rounded: true } });
        }
      } catch { /* It is not an amount. */ }
    }
  }
  return reads.length ? { reads } : { reads, fine };
}

// The percentage, the weight or the number of pieces that a text means; undefined if it is refused.
export function numbered(text) {
  try {
    const [value, decimals] = sum(plain(text).replace(/%$/, ''), 'always');
    return decimals > 4 ? undefined : written(rounded(value, 4)[0], 4);
  } catch { return undefined }
}

// A list of all members is loaded for a choice that is looked at.
async function fill({ target }) {
  for (const it of target.open ? target.querySelectorAll('select[data-options]') : []) {
    if (it.options.length === 1) await screen(it.dataset.options).then(({ answer }) => it.append(...parsed(answer)), () => say(offline));
  }
}

// --- What the page lends: its requests, its language, and what it says.

let languageCode, request, screen, seen, remember, parsed, tell, store, own, say, clear, dayOf, dayNow, values, parent, anew, forget, expand, visit, here, isDirty, ru, offline, Failure, Telegram, telegramButtons, empty;
export function start(page) {
  ({ languageCode, request, screen, seen, remember, parsed, tell, store, own, say, clear, dayOf, dayNow, values, parent, anew, forget, expand, visit, here, isDirty, ru, offline, Failure, Telegram, telegramButtons, empty } = page);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets = [sheet];
  document.addEventListener('toggle', fill, true);
  // The name of the file that was chosen.
  document.addEventListener('change', ({ target }) => {
    if (target.type === 'file') target.form.querySelector('[data-file-name]').textContent = target.files[0]?.name ?? '';
  });
  document.addEventListener('input', ({ target }) => target.matches('[data-find]') && find());
}

const texts = TEXTS;
const text = (name, a, b) => texts[name][ru ? 1 : 0].replace('{a}', () => a).replace('{b}', () => b);

// --- Lists without an end: the next page is shown in the place of the link to it.

let watching;
export function endless() {
  byDay();
  beside();
  // Without a bot, the link of an invitation is a path of this server.
  for (const it of document.querySelectorAll('.link')) it.textContent = new URL(it.textContent, location.origin);
  watching?.disconnect();
  const link = document.querySelector('[data-more]');
  if (!link) return;
  watching = new IntersectionObserver(async ([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    watching.disconnect();
    const { pages = 0 } = history.state ?? {};
    // Without a connection, the link is still there to be tapped.
    if (await extend(1).catch(() => {})) history.replaceState({ ...history.state, pages: pages + 1 }, '');
  }, { rootMargin: '600px' });
  watching.observe(link);
}

/** At a desk, the list of a group stays beside the form of a new expense. */
export async function beside() {
  const path = location.pathname.match(/^(\/app\/groups\/[^/]+)\/expenses\/new$/)?.[1];
  const wanted = path && document.querySelector('main form') && matchMedia('(min-width: 900px)').matches;
  const before = document.querySelector('aside');
  if (!wanted) return before?.remove();
  let html = seen.get(path);
  if (!html) {
    const at = location.pathname;
    html = (await screen(path.replace(/^\/app/, '/screens')).catch(() => {}))?.answer;
    // Another screen may be shown by now.
    if (!html || location.pathname !== at) return;
    remember(path, html);
  }
  const shown = make('div', {}, ...parsed(html)), title = shown.querySelector('h1');
  const list = make('aside', { ariaLabel: title.textContent }, ...shown.querySelector('[data-pages]').children);
  list.querySelectorAll('time').forEach(tell);
  document.querySelector('aside')?.remove();
  document.body.append(list);
}

/** Puts rows with a moment, newest first, under the days of the reader. */
function byDay() {
  const list = document.querySelector('[data-days]');
  let last, rows;
  for (const row of list?.querySelectorAll('li') ?? []) {
    const { dateTime } = row.querySelector('time'), day = dayOf(dateTime);
    if (day !== last) {
      const time = make('time', { dateTime });
      rows = make('ul', { className: 'card list' });
      list.append(make('h2', { className: 'day' }, time), rows);
      tell(time);
      last = day;
    }
    rows.append(row);
  }
  list?.querySelectorAll('ul:empty').forEach((it) => { it.previousElementSibling.remove(); it.remove() });
}

/** Shows some more pages of the list. Whether there was one. */
export async function extend(pages) {
  for (let left = pages; left > 0; left -= 1) {
    const link = document.querySelector('[data-more]');
    if (!link) return left < pages;
    const path = link.pathname + link.search;
    const html = seen.get(path) ?? (await screen(path.replace(/^\/app/, '/screens'))).answer;
    // Another screen may be shown by now.
    if (!link.isConnected) return false;
    remember(path, html);
    const page = document.createElement('div');
    page.append(...parsed(html));
    page.querySelectorAll('time').forEach(tell);
    const list = document.querySelector('[data-pages]');
    const day = (it) => it?.querySelector('time')?.dateTime;
    const first = page.querySelector('[data-pages] > .day');
    // A day goes on.
    if (first && day([...list.querySelectorAll(':scope > .day')].at(-1)) === day(first)) {
      list.lastElementChild.append(...first.nextElementSibling.children);
      first.nextElementSibling.remove();
      first.remove();
    }
    // What is folded at the end of a list stays its end.
    const [end, ends] = [list, page].map((it) => it.querySelector('[data-end]'));
    if (end && ends) {
      end.querySelector('ul').append(...ends.querySelector('ul').children);
      ends.remove();
    }
    list.append(...page.querySelector('[data-pages]').childNodes, ...end ? [end] : []);
    find();
    const next = page.querySelector('[data-more]');
    if (next) link.replaceWith(next);
    else link.remove();
  }
  endless();
  return true;
}

// The rows of the list of the screen that have the text of its field.
function find() {
  const words = document.querySelector('[data-find]')?.value.trim().toLowerCase();
  if (words === undefined) return;
  for (const it of document.querySelectorAll('[data-pages] li')) it.hidden = !it.querySelector('.name').textContent.toLowerCase().includes(words);
  // What is folded is searched, too.
  const end = document.querySelector('[data-end]');
  if (end && words) end.open = true;
}

// An element with these properties and parts.
const make = (tag, more, ...parts) => {
  const it = Object.assign(document.createElement(tag), more);
  it.append(...parts);
  return it;
};

// A copy of a template, whose names have the next number.
function addRow(button) {
  const template = document.getElementById(button.dataset.add);
  const number = button.dataset.next ?? 1000;
  button.dataset.next = Number(number) + 1;
  const row = template.content.firstElementChild.cloneNode(true);
  const parts = [row, ...[...row.querySelectorAll('[data-each]')].map((it) => it.content)];
  for (const control of parts.flatMap((it) => [...it.querySelectorAll('[name], [id], [for]')])) {
    for (const name of ['name', 'id', 'for', 'aria-label']) {
      if (control.hasAttribute(name)) control.setAttribute(name, control.getAttribute(name).replaceAll('#', number));
    }
  }
  // Once they have their number: a name may have a "#" of its own.
  expand(row, template.closest('form'));
  template.before(row);
  row.querySelector('input:not([type=hidden])')?.focus();
  template.closest('form').dispatchEvent(new Event('input'));
}

// Buttons that are no forms.
export async function act(button) {
  const data = button.dataset, { form } = button;
  if (data.step) {
    const input = button.parentElement.querySelector('input'), box = button.closest('[data-row]')?.querySelector('[data-counts]');
    if (box) box.checked = true;
    input.value = stepped(input, Number(data.step));
    input.dispatchEvent(new Event('input', { bubbles: true }));
    Telegram()?.HapticFeedback?.selectionChanged?.();
  } else if (data.add) addRow(button);
  else if (data.remove !== undefined) {
    button.closest('[data-row], [data-part]').remove();
    form.dispatchEvent(new Event('input'));
  } else if (data.all !== undefined || data.none !== undefined) {
    for (const it of form.querySelectorAll('.shares [data-counts]')) it.checked = data.all !== undefined;
    form.dispatchEvent(new Event('input'));
  } else if (data.copy) {
    await navigator.clipboard.writeText(data.copy.startsWith('/') ? location.origin + data.copy : data.copy);
    say(text('copied'));
  } else if (data.open) {
    const opens = data.open.startsWith('https://t.me/') ? 'openTelegramLink' : 'openLink';
    Telegram()?.[opens] ? Telegram()[opens](data.open) : open(data.open, '_blank', 'noopener');
  } else if (data.shareLink) {
    const url = `https://t.me/share/url?${new URLSearchParams({ url: new URL(data.shareLink, location.origin), text: data.text ?? '' })}`;
    Telegram()?.openTelegramLink ? Telegram().openTelegramLink(url) : open(url, '_blank', 'noopener');
  } else if (data.signOut !== undefined) {
    const id = store('localStorage', 'tokenId');
    if (id) await request('DELETE', `/api/users/me/tokens/${id}`).catch(() => {});
    forget('localStorage');
    forget('sessionStorage');
    location.href = '/app';
  } else if (data.language) {
    store('localStorage', 'language', data.language);
    forget('sessionStorage', own('seen'));
    location.reload();
  } else if (data.homeScreen !== undefined) Telegram().addToHomeScreen?.();
  else if (data.currency !== undefined) await pick(button);
  else if (data.export) await download(button);
}

// In Telegram: the ground of the page around it, and the button of its menu.
export function dress() {
  const app = Telegram();
  for (const part of ['Header', 'Background', 'BottomBar']) app[`set${part}Color`]?.('secondary_bg_color');
  app.SettingsButton?.onClick(() => visit(`${shownGroup()}/settings`));
  settingsButton();
}
const shownGroup = () => location.pathname.match(/^\/app\/groups\/[^/]+/)?.[0];
export const settingsButton = () => Telegram()?.SettingsButton?.[shownGroup() ? 'show' : 'hide']();

// What is unfolded, and what has the focus, is still so when the same screen is loaded again.
export function hold() {
  const named = (it) => it.id || it.name || it.getAttribute('href') || it.textContent;
  const main = document.querySelector('main'), at = document.activeElement, focus = main.contains(at) && named(at);
  const open = [...main.querySelectorAll('[open] > summary')].map(named);
  return () => {
    for (const it of main.querySelectorAll('summary')) if (open.includes(named(it))) it.parentElement.open = true;
    if (focus) [...main.querySelectorAll(at.tagName)].find((it) => named(it) === focus)?.focus({ preventScroll: true });
  };
}

// What is done about a form that was refused.
export async function refused(form, error, { problem, paths, send, drafted, isMain }) {
  const { dataset: data } = form, { error: code, details = [] } = error.problem;
  if (data.save === undefined) Telegram()?.HapticFeedback?.notificationOccurred('error');
  if (code === 'IDEMPOTENCY_KEY_REUSED' && data.save !== undefined) setTimeout(send);
  else if (code === 'IDEMPOTENCY_KEY_REUSED') {
    empty();
    seen.clear();
    say(text('first'));
    await visit(parent(form), { push: true });
  } else if (code === 'PRECONDITION_FAILED') {
    // The new version gets what was entered.
    if (drafted) keepDraft(form);
    empty();
    await visit(here(), { push: false, quiet: true });
    say(drafted ? text('changed') : error.message);
  } else if (error.status === 404 && data.method === 'PUT' && isMain) recordAnew(form, problem);
  else if (code === 'PAYMENT_PENDING') offer(form, `${parent(form).replace(/balances$/, '')}settlements/${details[0].settlementId}`, problem, send);
  else {
    const rest = mark(form, paths, details);
    const shown = rest.join('. ') || (details.length ? '' : error.message);
    problem.textContent = shown;
    problem.hidden = !shown;
    if (shown && !problem.isConnected) say(shown);
  }
}

// The payment that waits may be the same one: it is offered first.
function offer(form, href, problem, send) {
  const { fromId } = form.elements;
  const isOwn = fromId.value === form.dataset.me;
  const link = make('a', { className: 'small-button', href, textContent: isOwn ? text('look') : text('confirm', fromId.selectedOptions[0].textContent) });
  link.addEventListener('click', () => { forgetDraft(form); empty() });
  const other = make('button', { type: 'button', className: 'small-button', textContent: text('another') });
  other.addEventListener('click', () => {
    const separate = make('input', { type: 'hidden', name: 'separate', value: 'true' });
    separate.dataset.json = '';
    form.append(separate);
    send();
    separate.remove();
  });
  problem.replaceChildren(text('repeated'), ' ', link, ' ', other);
  problem.hidden = false;
}

// What was changed does not exist any more: it is recorded as something new.
function recordAnew(form, problem) {
  const url = form.getAttribute('action').replace(/\/[^/]+$/, ''), main = form.querySelector('[data-main]');
  form.setAttribute('action', url);
  form.dataset.method = 'POST';
  form.dataset.then = url.replace(/^\/api(\/groups\/[^/]+).*/, '/app$1');
  form.dataset.preview = `${url}/preview`;
  delete form.dataset.etag;
  form.querySelectorAll('[data-null]').forEach((it) => it.removeAttribute('data-null'));
  main.textContent = text('asNew');
  main.removeAttribute('data-sum');
  problem.textContent = text('gone');
  problem.hidden = false;
  // In sight, above the button.
  main.before(problem);
  problem.scrollIntoView({ block: 'center' });
  form.dispatchEvent(new Event('input'));
}

// --- A browser that signs in.

// A link from Telegram signs this browser in, once, if its user says that it is theirs: by the link of
// another they would write into another's account.
export async function signIn(code) {
  if (!await ask(text('yours'))) return {};
  const body = { name: 'Browser', scopes: ['read', 'write'] };
  const headers = { authorization: `Bearer ${code}`, 'idempotency-key': crypto.randomUUID() };
  try {
    return (await request('POST', '/api/users/me/tokens', { body, headers })).answer;
  } catch (error) {
    return { why: error.status === 401 ? text('used') : error instanceof Failure ? error.message : offline };
  }
}

/** What is said after a form: {name} is the value of its control, or what was answered; {amount} is what was recorded. */
export function named(form, said, data) {
  const shown = (name) => {
    const control = form.elements[name];
    if (name === 'amount' && data?.currency) return `${figure(data.amount, digitsBy?.[data.currency] ?? digitsOf(form))}\u00a0${data.currency}`;
    return control?.selectedOptions?.[0]?.textContent ?? control?.value ?? data?.[name] ?? '';
  };
  return said?.replace(/\{(\w+)\}/g, (_, name) => shown(name));
}

/** What happens after the API has answered a form: what is said, and where it leads. */
export async function done(form, answer, other, outcome) {
  const { undo, undoBody, done: said, pending } = form.dataset, { id, status: state } = answer.data ?? {};
  const then = other ?? form.dataset.then;
  seen.clear();
  for (const part of form.querySelectorAll('[data-show]')) {
    const value = answer.data?.[part.dataset.show];
    // The answer to a second try does not have a secret.
    part.hidden = value === undefined;
    if (part.hidden) continue;
    for (const name of ['data-share-link', 'data-open', 'data-copy']) {
      const pattern = (part.patterns ??= {})[name] ??= part.getAttribute(name);
      if (pattern) part.setAttribute(name, pattern.replace(`{${part.dataset.show}}`, value));
    }
    if (part.matches('output')) part.textContent = value;
    if (part.dataset.once === undefined) continue;
    part.hidden = true;
    await act(part);
  }
  const words = named(form, state === 'pending' && pending || said, answer.data);
  if (undo) say(words, text('undo'), () => {
    const [method, url] = undo.replace('{id}', id).split(' ');
    request(method, url, { body: JSON.parse(undoBody ?? '{}'), headers: { 'idempotency-key': crypto.randomUUID() } })
      .then(() => {
        seen.clear();
        say(text('undone'));
        // A deleted thing is not shown, neither now nor by a reload.
        if (method === 'DELETE') history.replaceState(history.state, '', here().split(`/${id}`)[0]);
        return visit(here(), { push: false, quiet: true });
      })
      .catch((error) => say(error instanceof Failure ? error.message : offline));
  });
  else if (outcome || words) say(outcome || words);
  if (form.hasAttribute('data-save') && !other) return isDirty() ? undefined : visit(here(), { push: false, focus: false, quiet: true });
  const path = then?.replace('{id}', id);
  if (path === undefined) return undefined;
  if (!path || path === here()) return visit(here(), { push: false, quiet: !other });
  // The way back does not lead to the form again.
  history.replaceState(history.state, '', path);
  return visit(path, { push: false });
}

// --- What an expense would come to.

export async function preview(form) {
  const shares = [...form.querySelectorAll('[data-share]')];
  const { body, paths } = read(form), note = form.querySelector('[data-note]');
  delete body.repeat;
  delete body.paused;
  const format = (number) => figure(number, digitsOf(form));
  form.running?.abort();
  form.running = new AbortController();
  if (unclear(form, false)) {
    shares.forEach((share) => { share.textContent = '–' });
    note.textContent = '';
    return;
  }
  shares.forEach((share) => share.classList.add('stale'));
  try {
    const { answer } = await request('POST', form.dataset.preview, { body, signal: form.running.signal });
    const found = new Map(answer.data.splits.map((split) => [split.userId, split]));
    for (const share of shares) {
      const split = found.get(share.dataset.share);
      share.textContent = split ? (split.or ? '≈ ' : '') + format(split.amount) : '–';
      share.classList.remove('stale');
    }
    for (const it of form.querySelectorAll('[data-total]')) it.textContent = format(answer.data.amount);
    const open = answer.data.splits.find((split) => split.or);
    note.textContent = open ? text('odd', format(open.amount), format(open.or)) : '';
    note.classList.remove('error');
  } catch (error) {
    if (!(error instanceof Failure)) return;
    shares.forEach((share) => { share.textContent = '–' });
    const rules = (error.problem.details ?? []).filter((it) => /splits|items|payers/.test(it.path) || body.amount);
    note.textContent = body.amount || body.items ? rules[0] ? worded(rules[0], paths.get(rules[0].path)) : error.message : '';
    note.classList.add('error');
  }
}

// --- What the device proposes next time.

export function keep(form) {
  const off = {};
  for (const { type, checked, disabled, value, dataset: { remember: name } } of form.querySelectorAll('[data-remember]')) {
    if (type !== 'checkbox') store('localStorage', own(name), value);
    else if (!disabled) (off[name] ??= []).push(...checked ? [] : [value]);
  }
  const currency = form.querySelector('[name$=currency][data-digits]');
  if (currency) store('localStorage', own('currency'), currency.value);
  for (const name in off) {
    if (off[name].length) store('localStorage', own(name), off[name].join(' '));
    else forget('localStorage', own(name));
  }
}

// --- Questions and drafts.

// Asks before something that cannot be taken back. Telegram has its own dialog.
export function ask(question, button) {
  const app = Telegram(), act = button?.textContent.trim() || text('yes');
  // Telegram shows 256 characters at most.
  if (app?.isVersionAtLeast?.('6.2') && app.showPopup && question.length <= 256) return new Promise((resolve) => {
    const buttons = [{ id: 'yes', type: button?.matches('.danger') ? 'destructive' : 'default', text: act.slice(0, 64) }, { type: 'cancel' }];
    app.showPopup({ message: question, buttons }, (id) => resolve(id === 'yes'));
  });
  const dialog = document.createElement('dialog'), form = document.createElement('form');
  form.method = 'dialog';
  const no = make('button', { value: '', textContent: text('no'), autofocus: true }), yes = make('button', { value: 'yes', textContent: act });
  yes.className = 'danger';
  form.append(make('p', { textContent: question, id: 'question' }), no, yes);
  dialog.setAttribute('aria-labelledby', 'question');
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}

// What was entered and is not recorded yet stays on the device for a week, the newest five of it. A draft has
// each field that differs from the form as it was sent, with what the form had, and the rows that were added.
const WEEK = 6048e5, MOST = 5;
// The members of a form, in the order of their rows, by whose places the fields are called.
const people = (form) => [...form.querySelectorAll('.shares [data-counts]')].map((it) => it.value);
const drafts = () => JSON.parse(store('localStorage', own('drafts')) ?? '{}');
const rowOf = (name) => Number(name.match(/\[(\d+)\]/)?.[1]);

export function keepDraft(form) {
  const now = values(form), fields = {};
  for (const name of Object.keys({ ...form.first, ...now })) {
    if (now[name] !== form.first[name]) fields[name] = [now[name], form.first[name]];
  }
  const all = drafts();
  delete all[form.at];
  if (Object.keys(fields).length) all[form.at] = { at: Date.now(), people: people(form), fields };
  store('localStorage', own('drafts'), JSON.stringify(Object.fromEntries(Object.entries(all).slice(-MOST))));
}

export function forgetDraft(form) {
  const all = drafts();
  delete all[form.at];
  store('localStorage', own('drafts'), JSON.stringify(all));
}

// The control that was changed: a form has thousands of them.
const set = (form, name, value) => {
  const box = name.match(/^(.*)=([^=]*)$/);
  const named = (it, more) => [form.elements[it] ?? []].flatMap((found) => found.nodeType ? found : [...found]).find(more);
  const control = box ? named(box[1], (it) => it.type === 'checkbox' && it.value === box[2])
    : named(name, (it) => (it.dataset.digits || it.type !== 'hidden') && (it.type !== 'radio' || it.value === value));
  if (!control) return undefined;
  const [field, now] = /checkbox|radio/.test(control.type) ? ['checked', box ? value : true] : ['value', value];
  if (control[field] === now) return undefined;
  control[field] = now;
  return control;
};

// Fills a form with its draft. Says what others have changed meanwhile of what the draft has, too.
export function restore(form) {
  const known = drafts()[form.at];
  if (!known || Date.now() - known.at > WEEK) return false;
  const was = known.people ?? [], now = people(form);
  const place = (all, list, at) => was.length ? `${list}[${now.indexOf(was[at])}]` : all;
  // Members may have come or gone since.
  const fieldsNow = Object.fromEntries(Object.entries(known.fields).map(([name, it]) => [name.replace(/(splits|payers|sharers)\[(\d+)\]/g, place), it]));
  const has = (name) => fieldsNow[name]?.[0] != null;
  const names = Object.keys(fieldsNow).filter(has).map((it) => it.replace(/=[^=]*$/, ''));
  const lost = names.filter((it) => !form.elements[it] && rowOf(it) >= 0);
  // A row gets the number that it had.
  for (const row of new Set(lost.map(rowOf))) {
    const own = lost.filter((it) => rowOf(it) === row);
    const inTemplate = (name) => name.replace(/\[\d+\]/, '[#]').replace(/\[\d+\]/, '[{at}]');
    const fits = (button) => {
      const html = document.getElementById(button.dataset.add).innerHTML;
      return own.every((it) => html.includes(`name="${inTemplate(it)}"`));
    };
    const button = [...form.querySelectorAll('[data-add]')].find(fits);
    if (!button) continue;
    const next = Math.max(row + 1, button.dataset.next ?? 0);
    button.dataset.next = row;
    addRow(button);
    button.dataset.next = next;
  }
  const theirs = [];
  for (const [name, [value, before]] of Object.entries(fieldsNow)) {
    // A row that was removed.
    if (value == null) form.querySelector(`[name="${CSS.escape(name)}"]`)?.closest('[data-row]')?.querySelector('[data-remove]')?.click();
    const now = form.first[name];
    const control = value == null ? undefined : set(form, name, value);
    if (control && before != null && now !== before && now !== value && typeof now === 'string') theirs.push([control, name, now]);
    control?.dispatchEvent(new Event('input', { bubbles: true }));
  }
  const button = (label, act) => {
    const it = make('button', { type: 'button', className: 'small-button', textContent: label });
    it.addEventListener('click', act);
    return it;
  };
  const clock = new Date(known.at).toLocaleTimeString(ru ? 'ru' : 'en-GB', { hour: '2-digit', minute: '2-digit' });
  const note = make('div', { className: 'note draft' }, text('draft', clock), ' ', button(text('anew'), () => { forgetDraft(form); anew() }));
  for (const [control, name, now] of theirs) {
    const option = [...control.options ?? []].find((it) => it.value === now);
    const theirText = option?.textContent ?? now, mine = control.selectedOptions?.[0]?.textContent ?? control.value;
    const line = make('p', {}, text('theirs', labelOf(control), theirText), ' ');
    line.dataset.theirs = name;
    line.append(button(text('take', brief(theirText)), () => {
      set(form, name, now)?.dispatchEvent(new Event('input', { bubbles: true }));
      line.remove();
    }), button(text('keep', brief(mine)), () => line.remove()));
    note.append(line);
  }
  form.prepend(note);
  const folded = form.closest('details');
  if (folded) folded.open = true;
  return true;
}

const brief = (words) => words.length > 24 ? `${words.slice(0, 23)}…` : words;
const labelOf = (control) => (control.labels?.[0]?.textContent ?? control.getAttribute('aria-label') ?? control.name).trim();

// --- Fields of amounts. What was understood stands below them, and is sent.

// An exact number as the reader writes it.
export function figure(number, digits, blank = ru ? '\u00a0' : ',') {
  const [whole, fraction = ''] = String(number).replace('-', '\u2212').split('.');
  const shown = whole.replace(/\B(?=(\d{3})+$)/g, blank);
  const decimals = fraction.padEnd(digits > 3 ? 0 : digits, '0');
  return shown + (decimals && (ru ? ',' : '.') + decimals);
}

// All currencies, once they are loaded, and the decimals of each.
let currencies, digitsBy;
async function loadCurrencies() {
  try {
    currencies ??= JSON.parse(store('sessionStorage', 'currencies') ?? 'null') ?? (await request('GET', '/api/currencies')).answer.data.currencies;
    digitsBy ??= Object.fromEntries(currencies.map((it) => [it.code, it.decimals]));
    store('sessionStorage', 'currencies', JSON.stringify(currencies));
  } catch { /* Without a connection, there is the one that is chosen. */ }
}

// The sign of a currency: of a token, that of the API. English has the present signs, other languages have
// some of earlier times.
function signFor(code) {
  const { kind, symbol } = currencies?.find((it) => it.code === code) ?? {};
  if (kind !== 'iso') return symbol === code ? undefined : symbol;
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' }).formatToParts(0);
  const sign = parts.find((it) => it.type === 'currency').value;
  return sign === code ? undefined : sign;
}

// The currency of the amounts of a form, its control, and the decimals of those that can be chosen.
function currencyOf(form) {
  const control = form.querySelector('[name$=currency][data-digits]');
  const { currency, digits } = control ? { currency: control.value, digits: control.dataset.digits } : form.dataset;
  const known = control && digitsBy ? digitsBy : { [currency]: Number(digits) };
  return { control, chosen: currency, known };
}

// Chooses a currency of a form.
function choose(control, code) {
  control.value = code;
  control.dataset.digits = digitsBy?.[code] ?? control.dataset.digits;
  const button = control.nextElementSibling, sign = signFor(code);
  button.textContent = sign ? `${code}\u00a0${sign}` : code;
  button.ariaLabel = `${text('currency')}: ${code}`;
}

export const digitsOf = (form) => {
  const { chosen, known } = currencyOf(form);
  return known[chosen] ?? 2;
};

// A number in a field, as the reader would type it, and the number that it is.
const fieldOf = (number, digits) => figure(number, digits, '').replace('\u2212', '-');
const plainly = (number) => number.replace(',', '.').replace(/^0+(?=\d)/, '').replace(/^\./, '0.').replace(/(\.\d*?)0*$/, '$1').replace(/\.$/, '');

// What a control means: one reading, several, or none.
function meaning(control) {
  const entered = control.value.trim();
  if (control.dataset.number !== undefined) {
    const amount = numbered(entered);
    return { reads: amount === undefined ? [] : [{ amount }], why: text('number', figure('33.3', 1)), silent: true, entered };
  }
  const { form } = control;
  const { control: select, chosen, known } = currencyOf(form);
  // What came from the API, or was written by the page, has no separators, so that it is never asked about.
  if (entered === (control.exact ?? control.defaultValue)) return { reads: [{ amount: plainly(entered), currency: chosen }], silent: true, known, entered };
  const free = select && control.name === 'amount';
  const base = free && control.base || chosen;
  const used = form.dataset.used?.split(' ') ?? [];
  let { reads, fine } = typed(entered, base, used, known);
  const asked = reads.length > 1;
  if (!free && reads.length) {
    reads = reads.filter((it) => it.currency === chosen);
    if (!reads.length) return { reads, why: text('other', chosen), known, entered };
  }
  const { answer } = control;
  if (asked && answer?.entered === entered) {
    const same = reads.filter((it) => it.amount === answer.amount && it.currency === answer.currency);
    if (same.length) reads = same;
  }
  const digits = known[fine];
  const why = fine ? text(digits ? 'decimals' : 'whole', fine, digits) : text('amount', known[base] ? figure('12.5', 2) : '1250');
  const silent = /^\d*[.,]?\d*$/.test(entered) && reads.length === 1 && !asked && plainly(entered) === reads[0].amount;
  return { reads, why, asked, silent, free, select, base, known, entered };
}

function box(control) {
  if (control.box?.isConnected) return control.box;
  control.box = document.createElement('output');
  control.box.dataset.understood = '';
  const line = control.closest('.line-fields');
  if (line) line.after(control.box);
  else (control.closest('.field, .amount, [data-row], .row') ?? control.parentElement).append(control.box);
  return control.box;
}

// Says below a field what it means. What is refused is said once the field is left, or if no further
// character can make an amount of it.
function understand(control, isLeft) {
  if (!control.value.trim()) {
    if (control.box) {
      control.box.replaceChildren();
      control.box.said = undefined;
    }
    turn(control);
    return;
  }
  const { reads, why, asked, silent, known, entered } = meaning(control);
  const [read] = reads;
  const shown = ({ amount, currency }) => `${figure(amount, known[currency])}\u00a0${currency}`;
  // Two readings of a mark differ at a glance: a blank before thousands, and a word.
  const told = ({ amount, currency }) => {
    const number = `${figure(amount, known[currency], '\u00a0')}\u00a0${currency}`;
    return text(amount.includes('.') ? 'pointed' : 'grouped', number);
  };
  const parts = [];
  if (reads.length === 1 && !silent) parts.push(`${read.rounded ? '≈' : '='} ${shown(read)}`);
  else if (reads.length > 1) {
    const signs = new Set(reads.map((it) => it.currency)).size > 1;
    parts.push(signs ? text('sign', entered.replace(/[\d.,\s+*/-]+/g, '')) : text('which'), ...reads.map((it) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', className: 'small-button', textContent: signs ? shown(it) : told(it) });
      button.addEventListener('click', () => {
        control.answer = { entered, ...it };
        control.focus();
        control.dispatchEvent(new Event('input', { bubbles: true }));
      });
      return button;
    }));
  }
  const isRefused = !reads.length && (isLeft || !couldBecome(control));
  if (isRefused) parts.push(why);
  if (parts.length || control.box) {
    const output = box(control);
    output.classList.toggle('error', isRefused);
    const written = parts.map((it) => it.nodeType ? it : Object.assign(document.createElement('bdi'), { textContent: it }));
    // What is written again would be read aloud again, and a button would leave under a finger.
    const said = entered + written.map((it) => it.textContent);
    if (said !== output.said) output.replaceChildren(...written);
    output.said = said;
  }
  if (reads.length === 1) turn(control, read.currency);
}

// Whether a text that is not an amount may be the beginning of one.
function couldBecome(control) {
  const [number, word] = parted(plain(control.value));
  const { chosen, known } = currencyOf(control.form);
  const names = [...Object.keys(known), ...[...SIGNS, ...SHARED].flatMap(([signs]) => signs.split(' '))];
  const isWord = !word || names.some((it) => it.toLowerCase().startsWith(word.toLowerCase()));
  const read = (it) => control.matches('[data-number]') ? numbered(it) : typed(it, chosen, [], known).reads.length;
  return isWord && ['', '0', '00', '000'].some((it) => read(number + it));
}

// Turns the currency of the form to the one that is named, and back when it is named no longer.
function turn(control, currency) {
  const { control: select, chosen } = currencyOf(control.form);
  if (!select || control.name !== 'amount') return;
  const next = currency ?? control.base ?? chosen;
  if (next !== chosen) control.base ??= chosen;
  if (next === control.base) control.base = undefined;
  choose(select, next);
}

const fields = (form) => [...form.querySelectorAll('[data-decimal], [data-number]')].filter((it) => it.value.trim() && !it.matches(':disabled') && !it.closest('[hidden]'));

/** The first field that is not understood; all that are not say why. */
export function unclear(form, isLeft = true) {
  const found = fields(form).filter((it) => meaning(it).reads.length !== 1);
  if (isLeft) for (const it of found) understand(it, true);
  return found[0] ?? [...form.querySelectorAll('[data-who-shares].error')].map((it) => it.parentElement.querySelector('[data-counts]'))[0];
}

// Who shares by each rule of a usual split, of those who are in the group now. A rule that leaves nobody is not
// saved.
const SAID = 6;
function shareToday(form) {
  const rules = form.querySelectorAll('[data-part] [data-alone]');
  for (const it of rules) it.textContent = it.dataset[rules.length > 1 ? 'among' : 'alone'];
  document.querySelector('[data-no-rules]')?.toggleAttribute('hidden', rules.length > 0);
  document.querySelector('[data-rules]')?.toggleAttribute('hidden', !rules.length);
  for (const note of form.querySelectorAll('[data-who-shares]')) {
    const rows = [...note.parentElement.querySelectorAll('[data-row]')].map((row) => {
      const tick = row.querySelector('[data-counts]'), weight = numbered(row.querySelector('[data-number]').value);
      return { row, tick, name: row.querySelector('.name').textContent, weight: tick.checked ? weight : undefined, isOn: tick.checked, ...tick.dataset };
    });
    const others = rows.find((it) => it.others !== undefined);
    // A member without a tick shares all the same then, and has a dash.
    for (const { row, tick, isOn } of rows) {
      const like = row.querySelector('[data-like]');
      if (!like) continue;
      tick.indeterminate = others.isOn && !isOn;
      like.hidden = !tick.indeterminate;
    }
    const present = rows.filter((it) => it !== others && it.past === undefined);
    // Without a number, nothing can be said yet.
    const isOpen = rows.some((it) => it.isOn && it.weight === undefined);
    const sharing = present.map((it) => [it.name, it.isOn ? it.weight : others.weight ?? '0']).filter(([, weight]) => Number(weight) > 0);
    const isEqual = sharing.every(([, weight]) => weight === sharing[0][1]);
    const whole = sharing.reduce((all, [, weight]) => numbered(`${all}+${weight}`), '0');
    const shown = (number) => figure(number, 0);
    const parts = sharing.slice(0, SAID).map(([name, weight]) => isEqual ? name : text('among', `${name} ${shown(weight)}`, shown(whole)));
    if (sharing.length > SAID) parts.push(text('further', sharing.length - SAID));
    const said = isOpen ? '' : sharing.length ? text('today', isEqual ? text('equally', parts.join(', ')) : parts.join(', ')) : text('noShares');
    if (note.textContent !== said) note.textContent = said;
    note.classList.toggle('error', !isOpen && !sharing.length);
  }
}

/** What a control sends. */
const sent = (control) => control.value.trim() && meaning(control).reads[0]?.amount;

// A category that the description suggests is chosen until the reader chooses one.
const stems = STEMS;
export function guess(description) {
  const words = description.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const fits = (word) => (stem) => [...stem].length > 3 ? word.startsWith(stem) : word === stem;
  for (const word of words) {
    const found = stems.flatMap(([category, own]) => own.filter(fits(word)).map((stem) => [stem.length, category])).sort(([a], [b]) => b - a);
    if (found.length) return found[0][1];
  }
  return '';
}

function suggest(form) {
  const chip = form.querySelector('[data-guess]'), select = chip && form.elements[chip.dataset.guess];
  if (!chip) return;
  const choose = () => {
    const [chosen] = select.selectedOptions;
    chip.hidden = !select.value;
    chip.textContent = chosen.textContent;
  };
  form.elements.description.addEventListener('input', ({ target }) => {
    if (select.dataset.chosen === undefined && (!select.value || select.value === select.dataset.guessed)) {
      select.dataset.guessed = select.value = guess(target.value);
    }
    choose();
  });
  select.addEventListener('change', () => { select.dataset.chosen = ''; choose() });
  chip.addEventListener('click', () => {
    select.closest('details').open = true;
    select.focus();
  });
  choose();
}

// Those in use and the usual currencies come first in their list.
const USUAL = ['EUR', 'USD', 'GBP', 'RUB', 'JPY', 'CHF', 'TRY', 'GEL', 'KZT', 'UAH', 'TON', 'USDT'];
const REGIONS = {
  AE: 'AED', AM: 'AMD', AR: 'ARS', AU: 'AUD', AZ: 'AZN', BR: 'BRL', BY: 'BYN', CA: 'CAD', CH: 'CHF', CN: 'CNY', CZ: 'CZK', DK: 'DKK', GB: 'GBP',
  GE: 'GEL', HU: 'HUF', ID: 'IDR', IL: 'ILS', IN: 'INR', JP: 'JPY', KG: 'KGS', KR: 'KRW', KZ: 'KZT', MD: 'MDL', MX: 'MXN', NO: 'NOK', NZ: 'NZD',
  PL: 'PLN', RO: 'RON', RS: 'RSD', RU: 'RUB', SE: 'SEK', SG: 'SGD', TH: 'THB', TJ: 'TJS', TR: 'TRY', UA: 'UAH', US: 'USD', UZ: 'UZS', VN: 'VND', ZA: 'ZAR',
};
const EURO = 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK';

// The currency of the reader's region: that of their language in Telegram or in the browser, or where a language
// names none, as English, that of the clock.
function regional() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const isHere = (region) => {
    const it = new Intl.Locale('und', { region });
    return (it.getTimeZones?.() ?? it.timeZones)?.includes(timeZone);
  };
  const language = [languageCode, navigator.language].find((it) => it !== 'en' && /^[a-z]{2,3}(-\w{2,8})*$/i.test(it ?? ''));
  const region = language ? new Intl.Locale(language).maximize().region : [...Object.keys(REGIONS), ...EURO.split(' ')].find(isHere);
  return EURO.includes(region) ? 'EUR' : REGIONS[region];
}

// The list of currencies, to be searched by code, name and sign.
async function pick(button) {
  await loadCurrencies();
  if (!currencies) return say(offline);
  const control = button.previousElementSibling, { form } = control;
  const ownNames = new Intl.DisplayNames([document.documentElement.lang], { type: 'currency', fallback: 'none' });
  const first = [control.value, ...(form.dataset.used ?? '').split(' '), store('localStorage', own('currency')), regional(), ...USUAL].filter(Boolean);
  const place = ({ code }) => (first.indexOf(code) + 1) || Infinity;
  const all = currencies.filter((it) => !it.withdrawn || first.includes(it.code)).sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)) || (one.code < other.code ? -1 : 1));
  const search = make('input', { type: 'search', autocomplete: 'off', role: 'combobox', ariaLabel: text('findCurrency'), placeholder: text('findCurrency'), ariaExpanded: 'true' });
  const list = make('ul', { id: 'currencies', role: 'listbox', ariaLabel: text('currency') });
  search.setAttribute('aria-controls', 'currencies');
  const options = all.map(({ code, name }) => {
    const sign = signFor(code) ?? '';
    // Others are tokens.
    const shown = (code.length === 3 && ownNames.of(code)) || name;
    const option = make('li', { id: `currency-${code}`, role: 'option', ariaSelected: String(code === control.value) }, make('b', {}, code), make('span', { className: 'grow' }, shown), make('span', { className: 'hint' }, sign));
    option.code = code;
    option.words = `${code} ${name} ${shown} ${sign}`.toLowerCase();
    return option;
  });
  list.append(...options);
  const dialog = make('dialog', { className: 'picker', ariaLabel: text('currency') }, search, list);
  let active;
  const shown = () => options.filter((it) => !it.hidden);
  const mark = (option) => {
    active?.classList.remove('active');
    active = option;
    active?.classList.add('active');
    active?.scrollIntoView({ block: 'nearest' });
    search.setAttribute('aria-activedescendant', active?.id ?? '');
  };
  const take = (option) => {
    if (!option) return;
    choose(control, option.code);
    dialog.close();
    control.dispatchEvent(new Event('input', { bubbles: true }));
  };
  search.addEventListener('input', () => {
    const words = search.value.trim().toLowerCase();
    for (const it of options) it.hidden = !it.words.includes(words);
    // A code stands above a name that has it.
    mark(shown().find((it) => it.code.toLowerCase() === words) ?? shown()[0]);
  });
  search.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) mark(shown()[Math.max(0, shown().indexOf(active) + by)] ?? active);
    if (event.key === 'Enter') take(active);
    // The field would only be emptied.
    if (event.key === 'Escape') dialog.close();
    if (by || /Enter|Escape/.test(event.key)) event.preventDefault();
  });
  list.addEventListener('click', ({ target }) => take(target.closest('li')));
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    button.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  mark(options[0]);
}

// --- What is left of the amount of an expense.

const units = (number, digits) => rounded(termOf(number.replace('-', ''), 'always')[0], digits)[0] * (number.startsWith('-') ? -1n : 1n);

// The sum of the controls, in units of 10^-digits; undefined if one of them is not understood.
function total(controls, digits) {
  let all = 0n;
  for (const it of controls.filter((control) => control.value.trim())) {
    const { reads } = meaning(it);
    if (reads.length !== 1) return undefined;
    all += units(reads[0].amount, digits);
  }
  return all;
}

// The sum of the lines of a receipt; undefined if there are none, or one of them is not understood.
function linesOf(form, digits) {
  const lines = [...form.querySelectorAll('[name*="items["][name$=".amount"]')].filter((it) => it.value.trim());
  const isDiscount = (it) => it.closest('[data-row]').querySelector('select')?.value === 'discount';
  const [plus, minus] = [total(lines.filter((it) => !isDiscount(it)), digits), total(lines.filter(isDiscount), digits)];
  return lines.length && plus !== undefined && minus !== undefined ? plus - minus : undefined;
}

// The amount of a form: what is typed, the sum of its lines, or that of a spending.
function amountOf(form, digits) {
  const { amount, splitType } = form.elements;
  if (splitType?.value === 'itemized') return linesOf(form, digits);
  if (!amount) return form.dataset.amount && units(form.dataset.amount, digits);
  return amount.value.trim() ? total([amount], digits) : undefined;
}

function leave(form) {
  const { chosen } = currencyOf(form), digits = digitsOf(form), whole = amountOf(form, digits);
  const shown = (number, scale) => figure(written(number < 0n ? -number : number, scale), scale);
  // The payer whose amount is left empty pays the rest.
  const paid = [...form.querySelectorAll('[name^="payers["][name$=".amount"]:enabled')];
  for (const it of paid) {
    const others = total(paid.filter((one) => one !== it), digits);
    it.placeholder = it.value.trim() || whole === undefined || others === undefined || paid.filter((one) => !one.value.trim()).length > 1 ? '…' : figure(written(whole - others, digits), digits);
  }
  shareToday(form);
  prices(form, chosen, digits);
  for (const it of form.querySelectorAll('[data-over]')) {
    const places = [...it.closest('[data-row]').querySelectorAll('[data-index]')].map(({ value }) => form.elements[`items[${value}].name`]?.value).filter(Boolean);
    it.textContent = places.length ? text('on', places.join(', ')) : text('onAll');
  }
  const rest = form.querySelector('[data-rest]');
  let missing = '';
  if (/exact|percentage/.test(form.elements.splitType?.value)) {
    const isPercent = form.elements.splitType.value === 'percentage', scale = isPercent ? 4 : digits;
    const parts = [...form.querySelectorAll(`[name^="splits["][name$=".${isPercent ? 'percentage' : 'amount'}"]:enabled`)];
    const all = isPercent ? 1000000n : whole, given = total(parts, scale);
    const left = all === undefined || given === undefined ? 0n : all - given, unit = isPercent ? '\u00a0%' : `\u00a0${chosen}`;
    const number = (it) => isPercent ? figure(written(it < 0n ? -it : it, 4), 0) : shown(it, digits);
    rest.hidden = left === 0n || !parts.length;
    const last = () => parts.includes(form.touched) ? form.touched : parts.find((it) => !it.value.trim()) ?? parts[0];
    const words = text(left < 0n ? 'over' : 'rest', number(left) + unit, number(all ?? 0n) + unit);
    if (!rest.hidden) missing = words;
    // The row that was touched last gets what is left.
    const taker = left > 0n && last()?.closest('[data-row]')?.querySelector('.name').textContent;
    rest.textContent = taker ? `${words} · ${text('restTo', taker)}` : words;
    rest.classList.toggle('danger', left < 0n);
    rest.onclick = () => {
      const to = last();
      const now = total([to], scale) + left;
      if (now < 0n) return to.focus();
      to.exact = to.value = fieldOf(written(now, scale), isPercent ? 0 : digits);
      to.dispatchEvent(new Event('input', { bubbles: true }));
    };
  }
  const button = form.querySelector('[data-sum]');
  if (button) {
    button.dataset.label ??= button.textContent.trim();
    // Who was left out last time is seen before the amount is shared.
    const boxes = /equal|shares/.test(form.elements.splitType?.value) ? [...form.querySelectorAll('.shares [data-counts]')] : [];
    const sharing = boxes.filter((it) => it.checked).length;
    const { amount, date, 'repeat.every': often } = form.elements;
    // What repeats is not recorded today.
    const repeats = often?.value && date?.value ? text('starts', often.selectedOptions[0].textContent, dated(date.value)) : '';
    const among = sharing < boxes.length ? text('among', sharing, boxes.length) : '';
    const parts = missing ? [missing] : [button.dataset.label, `${shown(whole ?? 0n, digits)}\u00a0${chosen}`, repeats || among].filter(Boolean);
    const isAsked = amount && !amount.disabled && amount.value.trim() && meaning(amount).reads.length > 1;
    button.textContent = whole ? parts.join(' · ') : isAsked ? `${button.dataset.label} · ${text('chooseAmount')}` : button.dataset.label;
    // Equal shares are seen with the amount, before the API has said who gets the remainder.
    const isEqual = whole && sharing && form.elements.splitType?.value === 'equal';
    const [each, isRounded] = isEqual ? rounded([whole, BigInt(sharing)], 0) : [];
    const guessed = isEqual && `${isRounded ? '≈ ' : ''}${shown(each, digits)}`;
    for (const it of form.querySelectorAll('.shares [data-counts]')) {
      const share = it.closest('[data-row]').querySelector('[data-share]');
      if (!share || share.textContent !== '–' && share.textContent !== share.guess) continue;
      share.guess = share.textContent = guessed && it.checked ? guessed : '–';
    }
    button.toggleAttribute('data-missing', !whole || !form.elements.description.value.trim());
    telegramButtons();
  }
}

const dated = (day) => new Date(`${day}T00:00Z`).toLocaleDateString(ru ? 'ru' : 'en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

// What one piece of a line costs, and what all lines of a receipt come to.
function prices(form, chosen, digits) {
  const sum = form.querySelector('[data-sum-of-lines]');
  if (!sum) return;
  const all = linesOf(form, digits), money = (minor) => figure(written(minor, digits), digits);
  sum.textContent = all === undefined ? '–' : `${money(all)}\u00a0${chosen}`;
  for (const pieces of form.querySelectorAll('.pieces[name]')) {
    const line = pieces.closest('.line-fields'), count = numbered(pieces.value), price = total([line.querySelector('[data-decimal]')], digits);
    let note = line.parentElement.querySelector('[data-each-piece]');
    if (!note) {
      note = make('output', { className: 'hint' });
      note.dataset.eachPiece = '';
      line.after(note);
    }
    const several = count !== undefined && Number(count) > 1 && price;
    const [each, isRounded] = several ? rounded(plus([0n, 1n], [price * 10000n, units(count, 4)]), 0) : [];
    note.textContent = several ? `${isRounded ? '≈' : '='} ${figure(count, 0)} × ${money(each)}` : '';
  }
}

function filter(form) {
  form.querySelector('[data-filter]')?.addEventListener('input', (event) => {
    // It is no entry.
    event.stopPropagation();
    const words = event.target.value.trim().toLowerCase();
    for (const row of form.querySelectorAll('.shares [data-row]')) row.hidden = !row.querySelector('.name').textContent.toLowerCase().includes(words);
  });
}

// The zones that the browser knows, in a list of the field.
function zones(control) {
  if (!control) return;
  const list = make('datalist', { id: 'zones' }, ...(Intl.supportedValuesOf?.('timeZone') ?? []).map((it) => new Option(it)));
  control.after(list);
  control.setAttribute('list', 'zones');
  const { timeZone = '' } = Intl.DateTimeFormat().resolvedOptions();
  control.value ||= timeZone;
  if (!timeZone || control.value === timeZone) return;
  const use = make('button', { type: 'button', className: 'small-button', textContent: text('phone', timeZone) });
  use.addEventListener('click', () => {
    control.value = timeZone;
    control.dispatchEvent(new Event('input', { bubbles: true }));
    use.remove();
    control.focus();
  });
  list.after(use);
}

// The end of what repeats is asked once it does.
function ends(form) {
  const choice = form.querySelector('[data-repeat]'), until = form.elements['repeat.until'];
  if (!choice) return;
  until.disabled = !choice.value;
  until.closest('.field').hidden = !choice.value;
}

// The members who were left out last time are named while they are left out.
function lastTime(form) {
  const last = form.querySelector('[data-last]'), takers = [...form.querySelectorAll('[type=checkbox][data-remember]')];
  const wasOff = (it) => form.first[`${it.name}=${it.value}`] === false, off = takers.filter(wasOff);
  if (!off.length) return;
  const names = off.slice(0, 3).map((it) => it.closest('li').querySelector('.name').textContent).join(', ');
  last.textContent = last.textContent.replace('{a}', () => names + (off[3] ? ' …' : ''));
  const show = () => { last.hidden = takers.some((it) => it.checked === wasOff(it)) };
  form.addEventListener('input', show);
  show();
}

export function watch(form) {
  ends(form);
  lastTime(form);
  suggest(form);
  zones(form.querySelector('[data-zone]'));
  filter(form);
  const { control } = currencyOf(form);
  if (control) {
    const proposed = control.dataset.region === undefined ? control.value : store('localStorage', own('currency')) ?? regional() ?? control.value;
    choose(control, proposed);
    form.first = { ...form.first, [control.name]: control.value };
    loadCurrencies().then(() => {
      choose(control, control.value);
      fields(form).forEach((it) => understand(it));
      leave(form);
    });
  }
  form.addEventListener('input', ({ target }) => {
    const next = target.closest('[data-grows]')?.nextElementSibling;
    if (next?.matches('[data-grows]') && target.value.trim()) next.hidden = false;
    if (target.matches('[name$=currency][data-digits]')) {
      choose(target, target.value);
      // A currency that is chosen by hand stands above one that was typed.
      for (const it of form.querySelectorAll('[data-decimal]')) {
        const [read] = it.value.trim() ? meaning(it).reads : [];
        if (it.base && read) it.exact = it.value = fieldOf(read.amount, digitsOf(form));
        it.base = undefined;
        understand(it);
      }
    } else if (target.matches('[data-decimal], [data-number]')) understand(target);
    else if (target.matches('input[type=date]')) ahead(target);
    if (target.matches('[data-repeat]')) {
      ends(form);
      form.querySelectorAll('input[type=date]').forEach(ahead);
    }
    if (target.matches('[name^="splits["]')) form.touched = target;
    // A line without a name of its own is called as its kind.
    if (target.matches('select[name$=".kind"]')) {
      const name = target.nextElementSibling, [chosen] = target.selectedOptions;
      if ([...target.options].some((it) => it.textContent === name.value)) name.value = chosen.textContent;
    }
    // What was a receipt costs what its lines sum to.
    const { splitType, amount } = form.elements;
    if (target.name === 'splitType' && form.splitBefore === 'itemized' && amount) {
      const sum = linesOf(form, digitsOf(form));
      if (sum !== undefined) amount.exact = amount.value = fieldOf(written(sum, digitsOf(form)), digitsOf(form));
    }
    form.splitBefore = splitType?.value;
    leave(form);
  });
  form.splitBefore = form.elements.splitType?.value;
  form.addEventListener('change', ({ target }) => {
    if (target.matches('[data-decimal], [data-number]')) understand(target, true);
  });
  // It exists before it is filled, so that it is read aloud.
  form.addEventListener('focusin', ({ target }) => {
    if (target.matches('[data-decimal], [data-number]')) box(target);
  });
  if (form.contains(document.activeElement) && document.activeElement.matches('[data-decimal], [data-number]')) box(document.activeElement);
  form.querySelectorAll('input[type=date]').forEach(ahead);
  for (const it of fields(form)) understand(it);
  leave(form);
}

/** A number of pieces or a weight after a tap on − or +. */
function stepped(control, by) {
  const { least = '0' } = control.dataset;
  const next = numbered(`${numbered(control.value) ?? 0}${by < 0 ? by : `+${by}`}`);
  return fieldOf(numbered(`${next}-${least}`)?.startsWith('-') ? least : next, 0);
}

// A day to come says that it counts already, and today's why it is not that of the calendar.
function ahead(control) {
  const field = control.closest('.field');
  if (!field || !control.form.matches('[data-method]')) return;
  let note = field.querySelector('[data-ahead]');
  if (!note) {
    note = document.createElement('output');
    note.dataset.ahead = '';
    note.className = 'hint';
    field.append(note);
  }
  const now = dayNow();
  let says = control.value === now && dayOf(Date.now()) !== now ? 'night' : '';
  // What repeats counts on its day.
  if (control.value > now && !control.form.elements['repeat.every']?.value) says = 'ahead';
  note.textContent = says && text(says);
}

// --- What a form sends, and what was wrong with it.

// The body of a form, and which control became which path. Gaps in lists are closed, so that an
// error at splits[1] is found at the second member that counts.
// A member whose amount or percentage is left empty does not take part.
function isNothing(row) {
  if (!row || row.dataset.off) return Boolean(row);
  const number = row.querySelector('[name^="splits["][name$=".amount"]:enabled, [name^="splits["][name$=".percentage"]:enabled');
  return number?.value.trim() === '';
}

export function read(form) {
  const body = {}, paths = new Map(), indexes = new Map(), places = [];
  for (const control of form.elements) {
    if (!control.name || control.matches(':disabled') || isNothing(control.closest('[data-row]'))) continue;
    // The weight of a member who does not share the line.
    if (control.closest('.taker')?.querySelector(':not(:checked)[type=checkbox]')) continue;
    // Of some boxes, those that are not ticked are sent.
    if (/checkbox|radio/.test(control.type) && control.checked === (control.dataset.unticked !== undefined)) continue;
    if (control.matches('[data-fresh]')) control.value ||= control.dataset.fresh ? `c${crypto.randomUUID().replaceAll('-', '').slice(1)}` : crypto.randomUUID();
    let value = control.matches('[data-decimal], [data-number]') ? sent(control) : control.value.trim();
    if (value === '' && control.dataset.null === undefined) continue;
    if (value === '') value = null;
    else if (control.dataset.json !== undefined) value = JSON.parse(value);
    let node = body, path = '';
    const steps = control.name.split(/[.[\]]+/).filter(Boolean);
    steps.forEach((step, place) => {
      let key = step;
      if (/^\d+$/.test(step)) {
        const order = indexes.get(path) ?? indexes.set(path, new Map()).get(path);
        if (!order.has(step)) order.set(step, order.size);
        key = order.get(step);
        path += `[${key}]`;
      } else path += (path && '.') + step;
      if (place === steps.length - 1) {
        node[key] = value;
        if (control.dataset.index) places.push([node, key, indexes.get(control.dataset.index), value]);
      }
      else node = node[key] ??= /^\d+$/.test(steps[place + 1]) ? [] : {};
    });
    paths.set(path, control);
  }
  // The index of a line is another one if lines before it were removed; a line that was removed has none.
  for (const [list, key, order, value] of places.reverse()) {
    const index = order?.get(value);
    if (index === undefined) list.splice(key, 1);
    else list[key] = index;
  }
  if (form.dataset.list) body[form.dataset.list] ??= [];
  // A line below zero takes something off.
  const lines = body.items ?? body.receipt?.items ?? [];
  // Without the items that it was for, a line is for all.
  for (const line of lines) if (line.over?.length === 0) delete line.over;
  if (lines.some(({ amount }) => amount > 0)) {
    for (const line of lines.filter(({ amount }) => amount < 0)) {
      line.kind = 'discount';
      line.amount = line.amount.slice(1);
    }
  }
  return { body, paths };
}

// An expense that repeats is the expense of a schedule, which starts on its day. Of a schedule, only what was
// changed is sent: other shares end that they follow the group, and another rule ends the skips. What is put
// right goes on.
export function addressed(form, { body, paths }) {
  const data = form.dataset, url = form.getAttribute('action');
  const { repeat, date, paused, ...expense } = body;
  form.plain ??= { then: data.then, undo: data.undo };
  const isNew = url !== data.schedules && !url.startsWith(`${data.schedules}/`);
  if (!data.schedules || isNew && !repeat?.every) {
    if (form.plain.undo) Object.assign(data, form.plain);
    return { body: repeat ? { ...expense, date } : body, paths, url };
  }
  const now = values(form), differs = (of) => Object.keys({ ...form.first, ...now }).some((it) => of.test(it) && now[it] !== form.first[it]);
  const [every, interval] = repeat.every.split(' ');
  const rule = { every, interval, start: date, until: repeat.until, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  if (isNew) Object.assign(data, { then: data.schedules.replace('/api', '/app'), undo: `DELETE ${data.schedules}/{id}` });
  else if (data.method === 'PUT' && !differs(/^(split|items)/)) ['splits', 'splitType', 'items'].forEach((it) => delete expense[it]);
  const changed = data.method !== 'PUT' || differs(/^(date|repeat\.)/);
  const named = [...paths].map(([path, control]) => [path === 'date' ? 'repeat.start' : path.startsWith('repeat.') ? path : `expense.${path}`, control]);
  return { body: { expense, paused, ...changed && { repeat: rule } }, paths: new Map(named), url: isNew ? data.schedules : url };
}

// A rule of the API in the reader's words: a control is called by its label instead of by its path.
export function worded({ path, message: rule }, control) {
  const own = { amount: 'noAmount', description: 'noDescription', toId: 'noRecipient' }[control?.name];
  if (own && !control.value.trim()) return text(own);
  if (path === 'splits' && document.querySelector('[name=splitType]:checked')?.value === '') return text('nobody');
  // A member who has left.
  const who = control?.closest('[data-row]')?.querySelector('.name') ?? control?.selectedOptions?.[0];
  if (who && /(userId|payerId)$/.test(path) && / id /.test(rule)) return text('away', who.textContent);
  return rule.replace(path, () => control?.ariaLabel ?? control?.labels?.[0]?.textContent ?? path);
}

// Shows each error below its control, and returns the others.
function mark(form, paths, problems) {
  clear(form);
  const rest = [];
  let first;
  problems.forEach((problem, index) => {
    const { path } = problem;
    const control = paths.get(path) ?? form.querySelector(`[name="${CSS.escape(path ?? '')}"]:not([type=hidden])`);
    const rule = worded(problem, control);
    if (!control || control.type === 'hidden' || control.closest('[hidden]')) return rest.push(rule);
    const error = Object.assign(document.createElement('p'), { className: 'error', id: `error-${index}`, textContent: rule });
    control.setAttribute('aria-invalid', 'true');
    control.setAttribute('aria-describedby', error.id);
    const more = control.closest('details');
    if (more) more.open = true;
    (control.closest('.field, .amount, [data-row], .row') ?? control.parentElement).append(error);
    first ??= control;
  });
  first?.focus();
  return rest;
}

// --- The zone of the reader's days, which others ask the API for. It is stored once a device.

let isStoring = false;
export async function storeZone() {
  const name = own('zone'), { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (isStoring || !timeZone || store('localStorage', name)) return;
  isStoring = true;
  try {
    const { answer: { data } } = await request('GET', '/api/users/me/targets');
    const body = { version: data.version, timeZone }, headers = { 'idempotency-key': crypto.randomUUID() };
    if (!data.timeZone) await request('PATCH', '/api/users/me/targets', { body, headers });
    store('localStorage', name, timeZone);
  } catch (error) {
    // A zone that the API does not know is not sent again. Otherwise the next write tries.
    if (error.status === 400) store('localStorage', name, timeZone);
  } finally { isStoring = false }
}

// --- Downloads: the pages of an export as one file.

export async function download(button) {
  const { export: url, fileName: file, type } = button.dataset;
  const parts = [];
  button.ariaBusy = 'true';
  try {
    for (let cursor = ''; cursor !== null;) {
      const { answer, response } = await request('GET', url + (cursor && `&cursor=${encodeURIComponent(cursor)}`));
      if (type === 'json') {
        parts.push(answer.data);
        cursor = answer.pagination?.nextCursor ?? null;
      } else {
        parts.push(answer);
        cursor = response.headers.get('next-cursor');
      }
    }
    const content = type === 'json' ? parts.map((part) => JSON.stringify(part, null, 2)) : parts;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(content, { type: type === 'json' ? 'application/json' : 'text/csv' }));
    link.download = file;
    link.click();
  } catch (error) { say(error instanceof Failure ? error.message : offline) } finally { button.ariaBusy = 'false' }
}

// --- Imports: the API plans a file, the reader says who is who, and the API records it.

export function upload(form) {
  const body = new FormData();
  body.set('file', form.elements.file.files[0] ?? '');
  const people = [...form.querySelectorAll('[data-person]')], asked = [...form.querySelectorAll('[data-answer]')];
  // A question that was answered is in no later plan.
  const answers = form.answers ??= {};
  for (const { value, dataset: { answer, key } } of asked.filter((it) => it.type === 'checkbox' ? it.checked : it.value)) {
    if (answer === 'ignore') (answers.ignore ??= []).push(value);
    else if (key) (answers[answer] ??= {})[key] = answer === 'weights' ? numbered(value) ?? value : value;
    else answers[answer] = value.toUpperCase();
  }
  if (people.length || asked.length) {
    const members = Object.fromEntries(people.map((it) => [it.dataset.person, it.value]));
    // What is recorded was seen before.
    body.set('options', JSON.stringify({ commit: !asked.length, members, ...answers, confirm: form.confirm }));
  }
  return body;
}

/** What was recorded, in words. */
export const imported = ({ expenses, settlements }) => text('imported', expenses, settlements);

export async function plan(form, data) {
  await loadCurrencies();
  const part = form.querySelector('[data-plan]'), problem = form.querySelector('[data-problem]');
  const people = [...form.querySelectorAll('datalist option')].map((it) => [it.value, it.textContent]);
  const guest = ['new guest', text('guest')];
  const members = Object.fromEntries([...part.querySelectorAll('[data-person]')].map((it) => [it.dataset.person, it.value]));
  // What was entered while the answer was on its way stays.
  const named = ({ value, dataset: { answer, key } }) => `${answer} ${key ?? value}`;
  const entered = new Map([...part.querySelectorAll('[data-answer]')].map((it) => [named(it), it]));
  const line = (className, words) => Object.assign(document.createElement('p'), { className, textContent: words });
  const field = (id, words, control, choices = []) => {
    const parts = [Object.assign(document.createElement('label'), { textContent: words, htmlFor: id }), Object.assign(document.createElement(control), { id })];
    for (const [value, name] of choices) parts[1].append(new Option(name, value));
    const box = Object.assign(document.createElement('div'), { className: 'field' });
    box.append(...parts);
    return [box, parts[1]];
  };
  const rows = data.members.map(({ name, match }, index) => {
    const [box, select] = field(`person-${index}`, name, 'select', [...people, guest]);
    select.dataset.person = name;
    select.value = members[name] ?? match?.memberId ?? guest[0];
    if (!select.value) select.value = guest[0];
    return box;
  });
  const names = [['', text('choose')], ...data.members.map(({ name }) => [name, name])];
  const questions = data.questions.map(({ kind, line: row, name, message: words }, index) => {
    const asks = kind === 'weight' ? text('weight', name) : row ? text('lineOf', row, words) : words;
    const [box, control] = field(`question-${index}`, asks, kind === 'payer' ? 'select' : 'input', kind === 'payer' ? names : []);
    control.dataset.answer = { currency: 'currency', payer: 'payers', weight: 'weights' }[kind];
    control.dataset.key = row ?? name ?? '';
    control.value = entered.get(named(control))?.value ?? '';
    return box;
  });
  // What Fracti does not know may be left out, if the reader says so.
  const ticks = data.errors.filter((it) => it.ignore).map(({ ignore }) => {
    const tick = make('input', { type: 'checkbox', value: ignore });
    tick.dataset.answer = 'ignore';
    tick.checked = entered.get(named(tick))?.checked ?? false;
    return make('label', { className: 'check' }, tick, text('without', ignore));
  });
  const records = make('ul', { className: 'list' }, ...data.records.map(({ date, description, fromName, toName, amount, currency }) => {
    const isRefund = fromName && !toName && `${amount}`.startsWith('-');
    const paid = fromName && !toName ? text(isRefund ? 'gotBack' : 'payer', fromName) : '';
    const names = paid ? [` · ${paid}`] : [fromName, toName].filter(Boolean).flatMap((it, at) => [at ? ' → ' : ' · ', make('bdi', { textContent: it })]);
    const when = date ? [make('time', { dateTime: date })] : [];
    when.forEach(tell);
    const about = make('span', { className: 'grow' }, make('bdi', { textContent: description ?? text(toName ? 'pays' : 'adjusts') }), make('small', { className: 'hint' }, ...when, ...names));
    return make('li', { className: 'row' }, about, make('span', { className: 'num', textContent: amount === undefined ? '' : `${figure(isRefund ? `${amount}`.slice(1) : amount, digitsBy?.[currency] ?? 0)}\u00a0${currency}` }));
  }));
  const left = data.expenses + data.settlements + data.adjustments - data.records.length;
  const open = data.questions.filter((it) => it.line).length;
  const counts = text('plan', data.expenses, data.settlements).replace('{c}', data.alreadyThere) + (open ? text('open', open) : '');
  form.confirm = data.differences?.confirm;
  const differences = data.differences?.rows ?? [];
  const lines = (className, issues) => issues.map((it) => line(className, it.message));
  // Of what is no export, only that is said.
  part.replaceChildren(...data.members.length ? [line('', counts), records] : [], ...left > 0 ? [line('hint', text('further', left))] : [], ...rows.length ? [line('hint', text('who'))] : [], ...rows, ...questions, ...lines('error', data.errors), ...ticks, ...lines('hint', [...differences, ...data.warnings]));
  problem.hidden = true;
  const button = form.querySelector('[data-label]');
  button.dataset.first ??= button.textContent;
  button.textContent = questions.length || ticks.length ? text('answers') : button.dataset.label;
  questions[0]?.querySelector('input, select').focus();
}
