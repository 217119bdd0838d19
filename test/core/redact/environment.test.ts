import { describe, expect, test } from 'vitest';
import { secretValues } from '../../../src/core/redact/redactor.js';
import { make, redactorOf, sentinelOf, TOKENS } from './fixtures.js';

const VALUE = 'Zq8-xk2_Lm';

describe('an environment', () => {
  const SECRET = [
    ...[
      'TOKEN',
      'GITHUB_TOKEN',
      'TOKEN_FOR_CI',
      'SECRET',
      'CLIENT_SECRET',
      'SECRET_KEY_BASE',
      'PASSWORD',
      'DB_PASSWD',
    ],
    ...[
      'PGPASSWORD',
      'MYSQL_PWD',
      'SSH_PASSPHRASE',
      'API_KEY',
      'SERVICE_APIKEY',
      'PRIVATE_KEY',
      'AWS_SECRET_ACCESS_KEY',
    ],
    ...[
      'AZURE_CREDENTIALS',
      'APP_CREDENTIAL',
      'BASIC_AUTH',
      'NPM_CONFIG__AUTH',
      'DB_PASS',
      'GITHUB_PAT',
      'npm_config_password',
    ],
  ];
  for (const name of SECRET) {
    test(`names a secret: ${name}`, () => expect(secretValues({ [name]: VALUE })).toEqual([VALUE]));
  }

  const PLAIN: Array<[string, string]> = [
    ['PWD', '/tmp/tmp.Zq8xk2LmQ4/x7Rk2PqL9v'],
    ['PATH', '/usr/bin:/bin'],
    ['NODE_ENV', 'production'],
    ['GIT_AUTHOR_NAME', 'Somebody Else'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXXabcd/agent.1234'],
    ['PASSWORD_FILE', '/run/secrets/db'],
    ['DB_PASSWORD', '/run/secrets/db_password'],
    ['TOKEN_PATH', 'var/token1234'],
    ['TOKEN', 'abc12'],
    ['TOKEN', ''],
    ['AUTH_ENABLED', 'something'],
    ['AUTH', 'true'],
    ['USE_TOKEN', 'false'],
    ['PASSWORD', '1234567'],
    ['DB_PASSWORD', 'postgres'],
    ['SECRET_NAME', 'my-app-secret'],
    ['API_KEY', '$OTHER_KEY'],
    ['SORT_KEY', 'created_at_and_more'],
    ['AUTH_URL', 'https://login.example/oauth2/token'],
    ['MAX_TOKENS', '4096'],
    ['COMMIT', '3f786850e387550fdab836ed7e6dc881de23001b'],
  ];
  for (const [name, value] of PLAIN) {
    test(`has nothing secret in ${name}=${value}`, () => expect(secretValues({ [name]: value })).toEqual([]));
  }

  test('has secrets by their shape under any name', () => {
    for (const { text, secret } of TOKENS) expect(secretValues({ WHATEVER: text })).toContain(secret);
  });

  test('has nothing secret in who somebody is and where they work, whatever it looks like', () => {
    for (const name of ['PWD', 'OLDPWD', 'HOME', 'TMPDIR', 'PATH', 'SHELL', 'LOGNAME', 'USER'])
      for (const { text } of TOKENS) expect(secretValues({ [name]: text })).toEqual([]);
  });

  test('has the password of an address, not the address', () => {
    expect(secretValues({ DATABASE_URL: `postgres://app:${VALUE}@db/app` })).toEqual([VALUE]);
    expect(secretValues({ SENTRY_DSN: 'https://abc@errors.example/7' })).toEqual([]);
    expect(secretValues({ MYSQL_DSN: `app:${VALUE}@tcp(db:3306)/app` })).toEqual([VALUE]);
    expect(secretValues({ CONNECTION_STRING: `Server=db;Password=${VALUE};Encrypt=true` })).toEqual([VALUE]);
    expect(secretValues({ REDIS_URL: 'redis://:p%40ss%2Fw0rd@cache' })).toEqual([
      'p%40ss%2Fw0rd',
      'p@ss/w0rd',
    ]);
  });

  test('has of credentials in JSON what is secret there', () => {
    const account = JSON.stringify(
      { type: 'service_account', private_key_id: 'x', client_secret: VALUE },
      null,
      2,
    );
    expect(secretValues({ GOOGLE_CREDENTIALS: account })).toEqual([VALUE]);
  });

  test('may have undefined values, and a secret twice', () => {
    expect(secretValues({ TOKEN: undefined, A_TOKEN: VALUE, B_TOKEN: VALUE })).toEqual([VALUE]);
  });
});

describe('a known value', () => {
  const secret = 'pä"ss/w0rd+&=\\x é';

  test('is masked wherever it stands', () => {
    const redactor = redactorOf(VALUE);
    expect(redactor.mask(`a${VALUE}b ${VALUE}`)).toBe(`a${sentinelOf(VALUE)}b ${sentinelOf(VALUE)}`);
  });

  test('is masked as others write it', () => {
    const redactor = redactorOf(secret);
    const bytes = Buffer.from(secret);
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret)).slice(3, -3),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase().replace('p%c3', 'p%c3'),
      new URLSearchParams({ x: secret }).toString().slice(2),
      bytes.toString('base64'),
      bytes.toString('base64url'),
    ];
    for (const form of forms) expect(redactor.mask(`<${form}>`)).toBe(`<${sentinelOf(secret)}>`);
  });

  test('is masked inside of base64', () => {
    const redactor = redactorOf(secret);
    for (const before of ['', 'u', 'us', 'use', 'user:']) {
      const masked = redactor.mask(Buffer.from(`${before}${secret} and more`).toString('base64'));
      expect(masked).toContain(sentinelOf(secret));
    }
  });

  test('of several lines is masked whole and line by line', () => {
    const lines = [make(40, 'abcdef0123456789'), make(40, 'abcdef0123456789'), 'short'];
    const redactor = redactorOf(lines.join('\n'));
    expect(redactor.mask(`"${lines.join('\n')}"`)).toBe(`"${sentinelOf(lines.join('\n'))}"`);
    expect(redactor.mask(`> ${lines[1]}\n> short`)).toBe(`> ${sentinelOf(lines[1]!)}\n> short`);
    expect(redactor.mask(JSON.stringify(lines.join('\n')))).toBe(`"${sentinelOf(lines.join('\n'))}"`);
  });

  test('takes the longest of two that begin alike', () => {
    const redactor = redactorOf('abc-1234', 'abc-1234-5678');
    expect(redactor.mask('abc-1234-5678 abc-1234-5')).toBe(
      `${sentinelOf('abc-1234-5678')} ${sentinelOf('abc-1234')}-5`,
    );
  });

  test('is not looked for when it is too short', () => {
    expect(redactorOf('', 'a', 'abc12').mask('a abc12')).toBe('a abc12');
  });
});
