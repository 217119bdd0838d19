import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSentinel } from '../../../src/core/redact/values.js';
import { NAMED, redactorOf, TOKENS } from './fixtures.js';

const LITERALS = ['s3cr3t value', 'x[masked:0a', 'token=', 'word: ', 'zz9zz9zz9', '-----BEGIN'];
const redactor = redactorOf(...LITERALS);

/** Text made of secrets, of what they begin and end with, and of what stands around them. */
const secretish = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TOKENS.map(({ text }) => text), ...NAMED.map(({ text }) => text)),
      fc.constantFrom(...LITERALS, 'zz9zz9zz', '[masked:0a1b2c3d]', '[masked:0a1b2c3', '[mas'),
      fc.constantFrom(
        'password',
        'TOKEN',
        'api_key',
        '"secret"',
        'Authorization',
        'Bearer ',
        'Basic ',
        '://',
        ':\\/\\/',
      ),
      fc.constantFrom(
        '=',
        ': ',
        ' = ',
        '"',
        "'",
        '`',
        '\\"',
        '@',
        '\n',
        ' ',
        '\\n',
        '-----',
        '-',
        '[',
        ']',
        '>',
        '<',
        '(',
      ),
      fc.constantFrom(
        '-----BEGIN PRIVATE KEY-----',
        '-----END PRIVATE KEY-----',
        'BEGIN ',
        'sk-',
        'eyJ',
        'ghp_',
        ':AA',
      ),
      fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('\ud800', '\udc00', '\u0000', '\u001b[31m', 'é', '中'),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

const RUNS = { numRuns: 3000 };

describe('any text', () => {
  test('masked twice is what it was masked once', () => {
    fc.assert(
      fc.property(secretish, (text) => {
        const masked = redactor.mask(text);
        expect(redactor.mask(masked)).toBe(masked);
      }),
      RUNS,
    );
  });

  test('is masked alike however it is cut in pieces', () => {
    fc.assert(
      fc.property(secretish, fc.array(fc.nat(40), { maxLength: 60 }), (text, sizes) => {
        const stream = redactor.stream();
        let out = '';
        let from = 0;
        for (const size of sizes) {
          out += stream.push(text.slice(from, from + size));
          from += size;
        }
        out += stream.push(text.slice(from)) + stream.end();
        expect(out).toBe(redactor.mask(text));
      }),
      RUNS,
    );
  });

  test('one character at a time', () => {
    fc.assert(
      fc.property(secretish, (text) => {
        const stream = redactor.stream();
        let out = '';
        for (let at = 0; at < text.length; at++) out += stream.push(text[at]!);
        expect(out + stream.end()).toBe(redactor.mask(text));
      }),
      { numRuns: 400 },
    );
  });

  test('keeps its sentinels', () => {
    fc.assert(
      fc.property(secretish, secretish, (before, after) => {
        const text = `${before} [masked:0a1b2c3d] ${after}`;
        expect(redactor.mask(text)).toContain('[masked:0a1b2c3d]');
        expect(findSentinel(redactor.mask(text))).toBeDefined();
      }),
      { numRuns: 800 },
    );
  });

  test('of lone halves of characters does not throw, as text or as a secret', () => {
    const unit = fc.integer({ min: 0xd7f0, max: 0xe010 }).map((code) => String.fromCharCode(code));
    const halves = fc
      .array(fc.oneof(unit, fc.constantFrom('a', '"', '=')), { maxLength: 40 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(halves, halves, (text, secret) => {
        const masked = redactorOf(secret).mask(text + secret + text);
        if (secret.trim().length >= 6) expect(masked).not.toBe(text + secret + text);
      }),
    );
  });

  test('of plain words is unchanged', () => {
    const word = fc.constantFrom(
      ...'the password token secret key is was of a function const let return null true user name auth api'.split(
        ' ',
      ),
      ...['value', '42', '2024-01-01', 'x', '()', '{', '}', '=>', '=', ':', ';', '"text"', '// note', '\n'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const text = words.join(' ');
        expect(redactorOf().mask(text)).toBe(text);
      }),
      RUNS,
    );
  });
});

describe('a value', () => {
  test('has every string masked, and all else as it was', () => {
    const secret = TOKENS[0]!.secret;
    const value = {
      a: [1, secret, { b: `x ${secret}`, c: null }],
      [secret]: true,
      __proto__x: 'y',
      n: undefined,
    };
    const before = structuredClone(value);
    const masked = redactor.maskAll(value);
    expect(masked).toEqual({
      a: [1, redactor.mask(secret), { b: `x ${redactor.mask(secret)}`, c: null }],
      [secret]: true,
      __proto__x: 'y',
      n: undefined,
    });
    expect(value).toEqual(before);
    expect(redactor.maskAll(masked)).toEqual(masked);
  });

  test('is told by its key', () => {
    expect(
      redactor.maskAll({ DB_PASSWORD: 'Sommer2031', NODE_ENV: 'Sommer2031', password: 'string' }),
    ).toEqual({
      DB_PASSWORD: redactorOf('Sommer2031').mask('Sommer2031'),
      NODE_ENV: 'Sommer2031',
      password: 'string',
    });
  });

  test('may be any JSON, however deep, also with the key __proto__', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(redactorOf().maskAll(value)).toEqual(value);
      }),
    );
    const odd: unknown = JSON.parse('{"__proto__": {"a": "b"}}');
    expect(JSON.stringify(redactor.maskAll(odd))).toBe('{"__proto__":{"a":"b"}}');
    let deep: unknown = 'end';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(() => redactor.maskAll(deep)).not.toThrow();
  });
});
