import { createHash } from 'node:crypto';
import { createRedactor, type Redactor } from '../../../src/core/redact/redactor.js';

// No secret of any shape stands in this file: each is put together when the tests run, from a prefix in two parts and
// a body that a small generator makes.

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const ALNUM = UPPER + LOWER + DIGITS;
const WORD = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

let state = 20240229;
function draw(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

/** So many characters, the first and the last a letter or digit where the alphabet has them. */
export function make(length: number, alphabet: string): string {
  const plain = [...alphabet].filter((character) => ALNUM.includes(character)).join('');
  const edge = (index: number): string => (index === 0 || index === length - 1 ? plain : alphabet);
  return Array.from({ length }, (_, index) => edge(index)[draw(edge(index).length)]).join('');
}

function join(...parts: string[]): string {
  return parts.join('');
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function frame(kind: string, body: string, end = true): string {
  const dashes = '-'.repeat(5);
  const line = (word: string): string => `${dashes}${word} ${kind}PRIVATE ${join('K', 'EY')}${dashes}`;
  return `${line('BEGIN')}\n${body}${end ? `\n${line('END')}` : ''}`;
}

function lines(count: number, width = 64): string {
  return Array.from({ length: count }, () => make(width, BASE64))
    .concat(`${make(38, BASE64)}==`)
    .join('\n');
}

/** `text` holds `secret`, which is all of it unless said; nothing else of it is to change. */
export interface Fixture {
  name: string;
  text: string;
  secret: string;
}

function whole(name: string, ...parts: string[]): Fixture {
  return { name, text: join(...parts), secret: join(...parts) };
}

function within(name: string, before: string, secret: string, after = ''): Fixture {
  return { name, text: before + secret + after, secret };
}

const jwt = (): string =>
  `${encode('{"alg":"HS256","typ":"JWT"}')}.${encode(`{"sub":"${make(10, DIGITS)}"}`)}.${make(43, WORD)}`;

/** Shapes that are recognised by themselves, wherever they stand. */
export const TOKENS: readonly Fixture[] = [
  ...['p', 'o', 'u', 's', 'r'].map((kind) => whole(`GitHub gh${kind}`, 'gh', kind, '_', make(36, ALNUM))),
  whole('GitHub fine-grained', 'github', '_pat_', make(22, ALNUM), '_', make(59, ALNUM)),
  whole('GitLab personal', 'gl', 'pat-', make(20, WORD)),
  whole('GitLab runner', 'gl', 'rt-', make(20, WORD)),
  whole('GitLab trigger', 'gl', 'ptt-', make(40, HEX)),
  whole('AWS key id', 'AK', 'IA', make(16, `${UPPER}234567`)),
  whole('AWS temporary key id', 'AS', 'IA', make(16, `${UPPER}234567`)),
  whole('Google API key', 'AI', 'za', make(35, WORD)),
  whole('Google access token', 'ya', '29.', make(60, WORD)),
  whole('Google client secret', 'GOC', 'SPX-', make(28, WORD)),
  within('Azure account key', join('Account', 'Key='), `${make(86, BASE64)}==`),
  within('Azure client secret', 'abc', join('8', 'Q~', make(34, `${ALNUM}_.~`))),
  whole('Slack bot', 'xo', 'xb-', make(12, DIGITS), '-', make(12, DIGITS), '-', make(24, ALNUM)),
  whole('Slack user', 'xo', 'xp-', make(12, DIGITS), '-', make(12, DIGITS), '-', make(32, HEX)),
  whole('Slack app', 'xa', 'pp-', '1-A', make(10, UPPER), '-', make(13, DIGITS), '-', make(64, HEX)),
  within(
    'Slack webhook',
    'https://hooks.slack.com/services/',
    join('T', make(8, UPPER), '/B', make(8, UPPER), '/', make(24, ALNUM)),
  ),
  within('Discord webhook', 'https://discord.com/api/webhooks/', join(make(18, DIGITS), '/', make(68, WORD))),
  whole('Stripe live', 'sk', '_live_', make(24, ALNUM)),
  whole('Stripe restricted', 'rk', '_live_', make(24, ALNUM)),
  whole('Stripe test', 'sk', '_test_', make(24, ALNUM)),
  whole('Stripe webhook', 'wh', 'sec_', make(32, ALNUM)),
  whole('OpenAI', 's', 'k-', make(20, ALNUM), 'T3Blbk', 'FJ', make(20, ALNUM)),
  whole('OpenAI project', 's', 'k-proj-', make(120, WORD)),
  whole('OpenAI service account', 's', 'k-svcacct-', make(120, WORD)),
  whole('Anthropic', 's', 'k-ant-', 'api03-', make(93, WORD), 'AA'),
  whole('npm', 'np', 'm_', make(36, ALNUM)),
  whole('PyPI', 'py', 'pi-', 'AgEIcHlwaS5vcmc', make(80, WORD)),
  whole('Docker', 'dc', 'kr_pat_', make(27, WORD)),
  whole('Hugging Face', 'h', 'f_', make(34, ALNUM)),
  whole('SendGrid', 'S', 'G.', make(22, WORD), '.', make(43, WORD)),
  whole('Twilio', 'S', 'K', make(32, HEX)),
  whole('Mailgun', 'ke', 'y-', make(32, HEX)),
  within('Telegram', `${make(9, '123456789')}:`, join('A', 'A', make(33, WORD))),
  whole('Discord bot', encode(make(18, '123456789')), '.', make(6, WORD), '.', make(38, WORD)),
  whole('DigitalOcean', 'do', 'p_v1_', make(64, HEX)),
  whole('Databricks', 'da', 'pi', make(32, HEX)),
  whole('Linear', 'lin', '_api_', make(40, ALNUM)),
  whole('Notion', 'nt', 'n_', make(46, ALNUM)),
  whole('Notion, old', 'sec', 'ret_', make(43, ALNUM)),
  whole('Shopify', 'shp', 'at_', make(32, HEX)),
  whole('Square', 'sq0', 'csp-', make(43, WORD)),
  whole('Square access', 'EA', 'AAl', make(59, WORD)),
  whole('Vault', 'hv', 's.', make(90, WORD)),
  within('Terraform', join(make(14, ALNUM), '.atlas', 'v1.'), make(67, WORD)),
  whole('age', 'AGE-SECRET-', 'KEY-1', make(58, UPPER + DIGITS)),
  whole('Grafana', 'gl', 'sa_', make(32, ALNUM), '_', make(8, HEX)),
  whole('Tavily', 'tv', 'ly-', make(32, ALNUM)),
  whole('JSON Web Token', jwt()),
  whole('private key', frame('', lines(24))),
  whole('RSA private key', frame('RSA ', lines(24))),
  whole('EC private key', frame('EC ', lines(2))),
  whole('OpenSSH private key', frame('OPENSSH ', lines(6, 70))),
  whole(
    'encrypted private key',
    frame('RSA ', `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${make(32, HEX)}\n\n${lines(12)}`),
  ),
  whole('private key in a string', frame('', lines(24)).replaceAll('\n', '\\n')),
  whole('private key without its end', frame('', lines(24), false)),
  within('password of an address', 'https://user:', make(14, ALNUM), '@host.example/path'),
  within(
    'password of a database',
    'postgres://app:',
    `${make(6, ALNUM)}%40${make(6, ALNUM)}`,
    '@db:5432/app',
  ),
  within('password that begins encoded', 'amqp://app:', `%40${make(9, ALNUM)}`, '@queue'),
  within('password without a user', 'redis://:', make(16, ALNUM), '@cache:6379/0'),
];

/** Secrets that their surroundings tell. */
export const NAMED: readonly Fixture[] = [
  within('AWS secret key', 'aws_secret_access_key = ', make(40, BASE64)),
  within('AWS secret key in code', 'secretAccessKey: "', make(40, BASE64), '"'),
  within('SAS signature', '?sv=2022-11-02&sig=', `${make(43, ALNUM)}%3D`, '&se=2030'),
  within('npmrc token', '//npm.example/:_authToken=', `${make(8, HEX)}-${make(4, HEX)}-${make(12, HEX)}`),
  within('bearer', 'Authorization: Bearer ', make(40, WORD)),
  within('basic', 'authorization: Basic ', Buffer.from(`user:${make(12, ALNUM)}`).toString('base64')),
  within('scheme of its own', 'Authorization: ApiKey ', make(32, ALNUM)),
  within('shell', 'export DB_PASSWORD=', make(12, ALNUM)),
  within('shell, words', 'DB_PASS=', 'correcthorsebattery'),
  within('shell in quotes', 'PASSWORD="', `${make(8, ALNUM)}!$&${make(4, ALNUM)}`, '"'),
  within('signs first', 'PASSWORD="', `!#$%${make(8, ALNUM)}`, '"'),
  within('bcrypt', '"password": "', `$2b$12$${make(53, `${ALNUM}./`)}`, '"'),
  within('JSON', '{"apiKey": "', make(24, ALNUM), '", "id": 7}'),
  within('JSON in JSON', '{"body": "{\\"client_secret\\": \\"', make(24, ALNUM), '\\"}"}'),
  within('YAML', 'client_secret: ', make(24, ALNUM)),
  within('YAML, chosen by a person', 'password: ', 'Sommer2031'),
  within('in another script', '"password": "', '東京Sommer2031!', '"'),
  within('random, in another script', '"password": "', `パスワード${make(12, ALNUM)}`, '"'),
  within('TypeScript', 'const token: string = "', make(24, ALNUM), '";'),
  within('Python', "os.environ['API_TOKEN'] = '", make(24, ALNUM), "'"),
  within('option', 'deploy --api-token ', make(24, ALNUM), ' --force'),
  within('query', 'GET /x?access_token=', make(24, ALNUM), '&y=1'),
  within('XML', '<password>', make(12, ALNUM), '</password>'),
  within('netrc', 'machine h.example login me password ', make(10, ALNUM), '\nmachine b.example'),
  within('netrc on lines', 'machine h.example\n  login me\n  password ', `${make(6, ALNUM)}!7`, '\n'),
  within('curl', 'curl -sS -u me:', make(10, ALNUM), ' https://h.example/x'),
  within('curl, at once', 'curl -ume:', make(10, ALNUM), ' https://h.example/x'),
  within('curl, quoted', "curl https://h.example/x --user 'me:", `${make(8, ALNUM)} ${make(8, ALNUM)}`, "'"),
  within('curl on lines', 'curl -X POST \\\n  --proxy-user=me:', make(10, ALNUM), ' \\\n  https://h.example'),
  within('cookie of curl', 'curl -b "', `sid=${make(20, ALNUM)}; theme=dark`, '" https://h.example'),
  within('mysql', 'mysql -h db -u root -p', make(10, ALNUM), ' shop'),
  within('mysqldump', "mysqldump -p'", `${make(6, ALNUM)} ${make(6, ALNUM)}`, "' shop"),
  within('sshpass', 'sshpass -p ', make(10, ALNUM), ' ssh me@h.example'),
  within('sshpass, quoted', 'sshpass -p "', `${make(6, ALNUM)}$!${make(6, ALNUM)}`, '" ssh me@h.example'),
  within('cookies', `curl -H 'Cookie: `, `a=b; session=${make(24, ALNUM)}`, "' https://h.example"),
  within('cookies of a header', '\n> Cookie: ', `session=${make(24, ALNUM)}`, '\n> Accept: */*'),
  within('a cookie that is set', '\n< Set-Cookie: sid=', make(24, ALNUM), '; Path=/; HttpOnly'),
  within('YAML block', 'db:\n  password: |\n    ', make(12, ALNUM), '\n  user: me'),
  within('YAML block of lines', 'token: >-\n  ', `${make(30, ALNUM)}\n  ${make(30, ALNUM)}`, '\nuser: me'),
  within('kubeconfig', 'client-key-data: ', make(200, ALNUM)),
  within(
    'PuTTY key',
    'Private-Lines: 2\n',
    `${make(64, BASE64)}\n${make(40, BASE64)}`,
    '\nPrivate-Hash: none',
  ),
  within(
    'PuTTY key, indented',
    '> Private-Lines: 2\n>   ',
    `${make(64, BASE64)}\n>   ${make(40, BASE64)}`,
    '\n> Private-Hash: none',
  ),
  within('PuTTY MAC', 'Private-MAC: ', make(64, HEX)),
  within('connection string', 'Server=db;User=app;Password=', make(16, ALNUM), ';'),
];

function hash(text: string): string {
  return createHash('sha256').update(`key ${text}`).digest('hex');
}

export function sentinelOf(secret: string): string {
  return `[masked:${hash(secret).slice(0, 8)}]`;
}

export function redactorOf(...secrets: string[]): Redactor {
  return createRedactor({ hash, secrets });
}
