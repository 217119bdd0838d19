import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMember, memberText, removeMember } from '../../../src/core/json/edit-member.js';

const SERVER = { command: 'teddy', args: ['mcp'] };
const add = (text: string) => addMember(text, 'servers', 'teddy', SERVER);

describe.each([
  ['an object with other members', '{\n  "servers": {\n    "a": 1\n  },\n  "b": [1, {"c": "}"}]\n}\n'],
  [
    'comments before and behind',
    '{\n  // x {\n  "servers": { /* y */\n    "a": { "x": 1 } // keep\n    // last\n  }\n}\n',
  ],
  ['trailing commas', '{\n\t"servers": {\n\t\t"a": 1,\n\t},\n}\n'],
  ['one line', '{"servers": {"a": 1}, "b": 2}'],
  ['CRLF', '{\r\n  "servers": {\r\n    "a": 1\r\n  }\r\n}\r\n'],
  ['no such group', '{\n  "other": {"teddy": 1}\n}\n'],
  ['an escaped key', '{"a\\"b": "\\\\", "servers": {"a": 1}}'],
  ['an empty group', '{\n  "servers": {}\n}\n'],
  ['an empty object', '{}'],
  ['an empty object and a newline', '{}\n'],
  ['a comment in an empty group', '{"servers": { // mine\n}}'],
  ['a comment in an empty object', '{\n  // mine\n}\n'],
  ['an empty file', ''],
  ['a blank file', ' \n'],
])('%s', (_, text) => {
  test('a member is added, and removed again byte for byte', () => {
    const added = add(text)!;
    expect(JSON.parse(memberText(added, 'servers', 'teddy')!)).toEqual(SERVER);
    expect(removeMember(added, 'servers', 'teddy')).toBe(text);
  });

  test('every other character stays, in order', () => {
    const added = add(text)!;
    let at = 0;
    for (const character of added) if (character === text[at]) at++;
    expect(at).toBe(text.length);
  });
});

test('a file that was made for it goes with it', () => {
  const made = addMember(null, 'servers', 'teddy', SERVER)!;
  expect(JSON.parse(made)).toEqual({ servers: { teddy: SERVER } });
  expect(removeMember(made, 'servers', 'teddy')).toBeNull();
});

test.each([
  ['{"servers": {"teddy": {"command": "mine"}}, "a": 1}', '{ "a": 1}'],
  ['{"a": 1, "servers": {\n  "teddy": 1\n}}', '{"a": 1}'],
  ['{"servers": {"teddy": 1 /* why */}}', '{"servers": { /* why */}}'],
  ['{"servers": {"teddy": {"a": 1 /* why */}, "b": 2}}', '{"servers": { "b": 2}}'],
])('of %s, which was edited since, nothing else goes', (text, without) =>
  expect(removeMember(text, 'servers', 'teddy')).toBe(without),
);

test.each(['[]', '{', '{"servers": []}', '{"a": 1} x', '{a: 1}', '"', '{"servers": {"teddy": 1}}'])(
  '%s is left alone',
  (text) => expect(add(text)).toBeUndefined(),
);

test('any JSON stays the same value but for the member', () => {
  const keys = fc.string({ maxLength: 5 });
  const object = fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
  fc.assert(
    fc.property(object, fc.option(object), fc.constantFrom(undefined, 2, '\t'), (root, servers, indent) => {
      const value: Record<string, unknown> = { ...root };
      delete value.servers;
      if (servers !== null) {
        delete servers.teddy;
        value.servers = servers;
      }
      const text = JSON.stringify(value, null, indent);
      const parsed = JSON.parse(text);
      const added = add(text)!;
      expect(JSON.parse(added)).toEqual({ ...parsed, servers: { ...parsed.servers, teddy: SERVER } });
      expect(removeMember(added, 'servers', 'teddy')).toBe(text);
    }),
  );
});

test('with comments, blanks and commas anywhere, it is removed again byte for byte', () => {
  const gap = fc.constantFrom('', ' ', '\n', '\r\n', '\n  ', '\t', ' // {\n', '/* } */', '\n  // "\n');
  const keys = fc.subarray(['servers', 'a', 'b']);
  const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('1', '"a // \\" }"', 'null', '[]', '[ 1, { } ]'),
      tie('object'),
    ),
    object: fc
      .tuple(keys, fc.array(gap, { minLength: 13, maxLength: 13 }), fc.boolean(), fc.func(tie('value')))
      .map(([names, gaps, trailing, write]) => {
        const members = names.map((name, at) => {
          const [before, colon, after, behind] = gaps.slice(at * 4);
          const value = write(name);
          const isWrong = name === 'servers' && !value.startsWith('{');
          return `${before}"${name}"${colon}:${after}${isWrong ? '{}' : value}${behind}`;
        });
        return `{${members.join(',')}${trailing && names.length > 0 ? ',' : ''}${gaps[12]}}`;
      }),
  }));
  fc.assert(
    fc.property(gap, object, gap, (head, body, tail) => {
      const text = `${head}${body}${tail}`;
      expect(removeMember(add(text)!, 'servers', 'teddy')).toBe(text);
    }),
    { numRuns: 2000 },
  );
});
