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

test('an empty file becomes an object', () =>
  expect(JSON.parse(add('')!)).toEqual({ servers: { teddy: SERVER } }));

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
      if (servers !== null && Object.keys(servers).length > 0)
        expect(removeMember(added, 'servers', 'teddy')).toBe(text);
    }),
  );
});
