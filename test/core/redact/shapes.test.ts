import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { findSentinel } from '../../../src/core/redact/values.js';
import { type Fixture, NAMED, redactorOf, sentinelOf, TOKENS } from './fixtures.js';

const redactor = redactorOf();

/** Each puts a text where secrets are met. */
const CONTEXTS: ReadonlyArray<[name: string, put: (text: string) => string]> = [
  ['bare', (text) => text],
  ['double quotes', (text) => `const x = "${text}";`],
  ['single quotes', (text) => `f('${text}')`],
  ['a code span', (text) => `Use \`${text}\` here.`],
  ['JSON', (text) => `{"a": 1, "value": "${text}", "b": [2]}`],
  ['JSON in a string', (text) => `"{\\"value\\":\\"${text}\\"}"`],
  ['a query', (text) => `curl https://host.example/x?value=${text}&next=1`],
  ['an encoded query', (text) => `https://host.example/x?value%3D${text}%26`],
  ['an export', (text) => `export VALUE=${text}`],
  ['the start of a line', (text) => `first\n${text} and more\nlast`],
  ['the end of a line', (text) => `first\nsee ${text}\r\nlast`],
  ['a sentence', (text) => `It was (${text}), and <${text}>; or: ${text}!`],
  ['a fenced block', (text) => `before\n\`\`\`\`text\n${text}\n\`\`\`\`\nafter`],
  ['an escaped line', (text) => `"line\\n${text}\\nline"`],
  ['colour', (text) => `\u001b[1;31m${text}\u001b[0m`],
  ['a table', (text) => `| value | ${text} | yes |`],
  ['a diff', (text) => `+  ${text}\n-  ${text}\n`],
];

function expectMasked({ text, secret }: Fixture, put: (text: string) => string): void {
  const masked = redactor.mask(put(text));
  expect(masked).toBe(put(text.replace(secret, () => sentinelOf(secret))));
  expect(redactor.mask(masked)).toBe(masked);
}

describe('a secret that its shape tells', () => {
  for (const fixture of TOKENS) {
    test(fixture.name, () => {
      for (const [, put] of CONTEXTS) expectMasked(fixture, put);
    });
  }

  test('there are enough of them', () => {
    expect(new Set(TOKENS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(40);
  });
});

describe('a secret that its surroundings tell', () => {
  for (const fixture of NAMED) {
    test(fixture.name, () => {
      for (const put of [
        (text: string) => text,
        (text: string) => `first\n${text}\nlast`,
        (text: string) => `\`\`\`\n${text}\n\`\`\``,
        (text: string) => `  ${text} # why`,
      ]) {
        expectMasked(fixture, put);
      }
    });
  }
});

describe('what only looks like it', () => {
  const HARMLESS = [
    'const password = getPassword()',
    'password: string',
    'password: string | undefined;',
    'let token = await fetchToken(user);',
    'const secret = process.env.SECRET_KEY_BASE;',
    'token: Uint8Array,',
    'this.apiKey = options.apiKey;',
    'privateKey: ed25519PrivateKey',
    'PASSWORD=changeme',
    'PASSWORD=changeme123',
    'API_KEY=<your key>',
    'API_KEY=your-api-key-here',
    `API_KEY=$${'{API_KEY}'}`,
    'API_KEY=$API_KEY_2024',
    'API_KEY=$(cat key1.txt)',
    'API_KEY=xxxxxxxxxxxxxxxx',
    'API_KEY=****************',
    'TOKEN={{ secrets.TOKEN_2 }}',
    '"password": "********"',
    '"password": null, "token": true',
    '"password": "Enter your password"',
    '"password": "Must have at least 8 characters"',
    '"password": "パスワードは8文字以上で「!」を含めてください", "pass": "รหัสผ่านต้องมี8ตัว"',
    'token: "comment.block.documentation"',
    "credentials: 'same-origin'",
    'max_tokens: 4096000000',
    'next_page_token: "CAoQAA1b2c3d4e5f"',
    'tokens = line.split(" ")[12345678]',
    '"js-tokens": "^4.0.0-beta.12"',
    "url = 'https://x/?token=' + token1 + '&y=' + y2",
    `https://user:password@host, https://user:$${'{PASS}'}@host, https://user:***@host`,
    'http://[::1]:8080/@scope/name, ssh://git@host:22/x, https://host:8080/a@b',
    '/^(\\w+):\\/\\/([^:]+):([^@]+)@/',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'Bearer authentication is required, Basic authentication too',
    'Authorization: Bearer <token>',
    `text.includes('${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}')`,
    '<label for="password">Password</label><input type="password" name="password" id="password-1">',
    'task-sk-loading-indicator-with-a-long-name',
    'sha512-z0WXiJ8ZzF1sTBMfdpVpkkZYwV8R8kFYP9dKcxbD6cdTJsdGAfGz5qKZwJXZbGTlYVS6tFLVhHzGdIqQqXrRTg==',
    '3f786850e387550fdab836ed7e6dc881de23001b',
    'curl -u "$USER:$PASS" https://h.example',
    `curl -u me:$${'{PASS_2}'} https://h.example; curl --user user:password https://h.example`,
    'curl -u me https://h.example:8443/a',
    'docker run -u 1000:1000 --rm image; sort -u a:b',
    'mysql -u root -p shop < dump.sql',
    'mysql -p"$MYSQL_PWD" -P 3306 -psecret; mysql -p3306',
    'sshpass -p "$SSH_PASS_1" ssh me@h.example; sshpass -f file1234 ssh',
    'Install curl and mysql, and then run it with -p or -u.',
    'machine learning and the login password are explained below',
    'login page password reset',
    'machine h.example login me password YOUR_PASSWORD',
    'The cookie: a small text that a server sets, name=value12345.',
    'Cookie: theme=dark; lang=en',
    "headers: { cookie: req.headers.cookie ?? '' }",
    'password: |\n  Must have at least 8 characters\n  and one digit\nuser: me',
    'password: |',
    'password: string | undefined\n  token: string | null',
    'description: |\n  Zx81kQ9vLm2pR7tB\n',
    'Private-Lines: 2\n\nPrivate-MAC: none',
    '123e4567-e89b-42d3-a456-426614174000',
  ];
  for (const text of HARMLESS) {
    test(text.slice(0, 60), () => expect(redactor.mask(text)).toBe(text));
  }
});

describe('a private key', () => {
  test('is masked with line numbers, quote marks and concatenation between its lines', () => {
    const key = TOKENS.find(({ name }) => name === 'RSA private key')!.secret;
    const rows = key.split('\n');
    const forms = [
      rows.map((row, index) => `${index + 1}\t${row}`).join('\n'),
      rows.map((row) => `> ${row}`).join('\n'),
      rows.map((row) => `  "${row}\\n" +`).join('\n'),
      rows.map((row) => `+${row}`).join('\n'),
    ];
    for (const form of forms) {
      const masked = redactor.mask(form);
      for (const row of rows.slice(1, -1)) expect(masked).not.toContain(row);
      expect(masked).toMatch(/\[masked:[0-9a-f]{8}\]/);
    }
  });

  test('without its end leaves the text behind it', () => {
    const key = TOKENS.find(({ name }) => name === 'private key without its end')!.secret;
    expect(redactor.mask(`${key}\nDone.\nAll is well`)).toBe(`${sentinelOf(key)}\nDone.\nAll is well`);
  });
});

describe('a sentinel', () => {
  test('is found, with its line', () => {
    expect(findSentinel('a\nb\n  x = "[masked:0a1b2c3d]" [masked:ffffffff]')).toEqual({
      sentinel: '[masked:0a1b2c3d]',
      line: 3,
    });
    expect(findSentinel('[masked:0a1b2c3d]')?.line).toBe(1);
  });

  test('is not found in what only begins like one', () => {
    for (const text of [
      '',
      '[masked:]',
      '[masked:0a1b2c3]',
      '[masked:0A1B2C3D]',
      '[masked:xxxxxxxx]',
      'masked:0a1b2c3d',
    ])
      expect(findSentinel(text)).toBeUndefined();
  });

  test('stays what it is, whatever a secret is called', () => {
    const text =
      'password=[masked:0a1b2c3d] "token": "[masked:0a1b2c3d]" https://u:[masked:0a1b2c3d]@h abc123[masked:0a1b2c3d]';
    for (const secret of [
      'masked:',
      '0a1b2c3d',
      '[masked:0a1b2c3d]',
      'abc123[masked',
      'c3d]@h abc',
      'abc123[',
    ])
      expect(
        redactorOf(secret)
          .mask(text)
          .match(/\[masked:0a1b2c3d\]/g),
      ).toHaveLength(4);
  });

  test('has digits even if the hash has none', () => {
    const secrets = ['hunter22'];
    expect(createRedactor({ hash: () => 'no hash', secrets }).mask('a hunter22')).toBe('a [masked:00000000]');
    expect(createRedactor({ hash: () => 'ABCDEF0123', secrets }).mask('a hunter22')).toBe(
      'a [masked:abcdef01]',
    );
  });
});
