import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Redactor } from '../../../src/core/redact/redactor.js';
import { make, NAMED, redactorOf, sentinelOf, TOKENS } from './fixtures.js';

const LITERAL = 'tr0ub4dor & "3"';
const redactor = redactorOf(LITERAL, 'line one of a secret\nline two of a secret');

function pushAll(target: Redactor, pieces: Iterable<string>): string {
  const stream = target.stream();
  let out = '';
  for (const piece of pieces) out += stream.push(piece);
  return out + stream.end();
}

function* cutAt(text: string, cuts: readonly number[]): Generator<string> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield text.slice(from, cut);
    from = cut;
  }
  yield text.slice(from);
}

describe('text in pieces', () => {
  const fixtures = [
    ...TOKENS,
    ...NAMED,
    { name: 'literal', text: LITERAL, secret: LITERAL },
    { name: 'literal in base64', text: btoa(LITERAL), secret: LITERAL },
  ];
  for (const { name, text: fixture } of fixtures) {
    test(`is masked like the whole: ${name}`, () => {
      const text = `see: ${fixture}, then\nmore`;
      const whole = redactor.mask(text);
      expect(whole).not.toBe(text);
      expect(pushAll(redactor, text)).toBe(whole);
      for (let cut = 0; cut <= text.length; cut++) {
        const masked = pushAll(redactor, cutAt(text, [cut]));
        if (masked !== whole) expect(masked, `cut at ${cut}`).toBe(whole);
      }
      fc.assert(
        fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
          expect(pushAll(redactor, cutAt(text, cuts))).toBe(whole);
        }),
        { numRuns: 3 },
      );
    });
  }

  test('that nothing can begin with is given out at once', () => {
    for (const text of ['Continue? [y/N] ', 'Are you sure (yes/no)? ', '> ', '$ ']) {
      expect(redactor.stream().push(text)).toBe(text);
    }
  });

  test('is held back up to 16 KB', () => {
    const openings = [
      ...[
        'TOKEN="',
        'password: ',
        'https://user:',
        'https://',
        'eyJ',
        'Bearer ',
        'Authorization: Bearer ',
        'x',
        '"key": "',
      ],
      ...[
        `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}\n`,
        '-'.repeat(5),
        `s${'k-'}`,
        '[masked:',
        LITERAL.slice(0, -1),
      ],
    ];
    for (const opening of openings) {
      for (const filler of ['.', 'a', 'ab cd\n', '-', ' ', 'é', '"', 'BEGIN ', 'token=', `s${'k-'}`]) {
        const stream = redactor.stream();
        let held = opening.length - stream.push(opening).length;
        for (let count = 0; count < 100; count++) {
          const piece = filler.repeat(400 / filler.length);
          held += piece.length - stream.push(piece).length;
          if (held > 16_384) expect(held, `${opening} and then ${filler}`).toBeLessThanOrEqual(16_384);
        }
      }
    }
  });

  test('keeps nothing of a secret without end', () => {
    const stream = redactor.stream();
    const piece = make(65_536, 'ABCDEFabcdef0123456789');
    let out = stream.push(`export TOKEN=${piece}`);
    for (let count = 0; count < 14; count++) out += stream.push(piece);
    out += stream.push(' done');
    out += stream.end();
    expect(out).toMatch(/^export TOKEN=\[masked:[0-9a-f]{8}\] done$/);
  });

  test('of a key that is longer than what is held back', () => {
    const dashes = '-'.repeat(5);
    const rows = Array.from({ length: 400 }, () => make(64, 'ABCDEFabcdef0123456789+/')).join('\n');
    const text = `a\n${dashes}BEGIN PRIVATE KEY${dashes}\n${rows}\n${dashes}END PRIVATE KEY${dashes}\nb`;
    const whole = redactor.mask(text);
    expect(whole).toMatch(/^a\n\[masked:[0-9a-f]{8}\]-----END PRIVATE KEY-----\nb$/);
    expect(pushAll(redactor, text.match(/[\s\S]{1,100}/g)!)).toBe(whole);
  });

  test('can be used for several streams at a time', () => {
    const one = redactor.stream();
    const two = redactor.stream();
    const secret = TOKENS[0]!.secret;
    let a = one.push(secret.slice(0, 10));
    let b = two.push(`x ${secret.slice(0, 20)}`);
    a += one.push(secret.slice(10)) + one.end();
    b += two.push(secret.slice(20)) + two.end();
    expect([a, b]).toEqual([sentinelOf(secret), `x ${sentinelOf(secret)}`]);
  });
});
