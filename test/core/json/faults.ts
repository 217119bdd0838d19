import type { JsonPath, JsonProblemCode } from '../../../src/core/json/values.js';

/** A text with one fault, and what must be said of it. */
export interface FaultCase {
  fault: string;
  text: string;
  code: JsonProblemCode;
  path: JsonPath;
  line: number;
  column: number;
  message: string | RegExp;
  hint: string | RegExp;
}

type Said = [message: string | RegExp, hint: string | RegExp];

function fault(
  name: string,
  text: string,
  code: JsonProblemCode,
  path: JsonPath,
  [line, column]: [number, number],
  [message, hint]: Said,
): FaultCase {
  return { fault: name, text, code, path, line, column, message, hint };
}

const invalid = (name: string, text: string, path: JsonPath, place: [number, number], said: Said) =>
  fault(name, text, 'json-invalid', path, place, said);
const around = (name: string, text: string, place: [number, number], said: Said) =>
  fault(name, text, 'json-around', [], place, said);
const cutOff = (name: string, text: string, path: JsonPath, place: [number, number], message: string) =>
  fault(name, text, 'json-cut-off', path, place, [message, 'again']);

const PROTO = '{"a": [{"b": 1, "\\u005f_proto__": 2}]}';

/** Ends in a text three levels down. */
const CUT_MAP = '{"findings": {"context_map": [["a", null], ["b", null], ["c", null], ["The log';

export const FAULTS: readonly FaultCase[] = [
  fault('nothing', '', 'json-empty', [], [1, 1], ['empty', 'one JSON value']),
  fault('white space', ' \n\t\r\n', 'json-empty', [], [1, 1], ['empty', 'one JSON value']),
  fault('a byte order mark alone', '\uFEFF\n', 'json-empty', [], [1, 1], ['empty', 'one JSON value']),

  invalid(
    'trailing comma in an object',
    '{"a": {\n  "b": 1,\n}}',
    ['a'],
    [2, 9],
    [/comma.*object at \$\.a/, 'Leave out'],
  ),
  invalid('trailing comma in an array', '[[1, 2, ]]', [0], [1, 7], [/comma.*array at \$\[0\]/, 'Leave out']),
  invalid(
    'missing comma in an object',
    '{"a": 1\n "b": 2}',
    ['a'],
    [1, 8],
    ['comma is missing', 'comma between'],
  ),
  invalid('missing comma in an array', '["a" "b"]', [0], [1, 5], ['comma is missing', 'comma between']),
  invalid('missing comma between objects', '[{}\n{}]', [0], [1, 4], ['comma is missing', 'comma between']),
  invalid('missing comma between numbers', '[1 2]', [0], [1, 3], ['comma is missing', 'comma between']),
  invalid('two commas in an array', '[1,,2]', [1], [1, 4], ['comma', 'one comma']),
  invalid('comma in front', '[,1]', [0], [1, 2], ['comma', 'one comma']),
  invalid('two commas in an object', '{"a":1,,"b":2}', [], [1, 8], ['comma too many', 'one comma']),
  invalid('semicolon', '{"a": 1; "b": 2}', ['a'], [1, 8], ['semicolon', 'comma']),

  invalid('single quotes around a key', "{'a': 1}", [], [1, 2], ['single quote', 'double quotes']),
  invalid('single quotes around a text', '{"a": \'b\'}', ['a'], [1, 7], ['single quote', 'double quotes']),
  invalid('curved quotes around a key', '{“a”: 1}', [], [1, 2], [/typographic quote, `“`/, 'double quotes']),
  invalid('curved quotes around a text', '["a", ‘b’]', [1], [1, 7], ['typographic quote', 'double quotes']),
  invalid('backticks around a text', '[`a`]', [0], [1, 2], ['backtick', 'double quotes']),
  invalid(
    'key without quotes',
    '{"a": {status: 1}}',
    ['a'],
    [1, 8],
    ['key status of the object at $.a', 'double quotes'],
  ),
  invalid('number as a key', '{1: 2}', [], [1, 2], ['key 1 of', 'double quotes']),
  invalid('text without quotes', '{"a": completed}', ['a'], [1, 7], ['word completed', 'double quotes']),
  invalid('quote inside a text', '{"a": "say "hi" now"}', ['a'], [1, 13], [/closed by a quote.*hi/, '\\"']),
  invalid('texts joined', '["a" + "b"]', [0], [1, 6], ['joined', 'one string']),

  invalid(
    'line break in a text',
    '{"a":\n "b\nc"}',
    ['a'],
    [2, 4],
    ['line break inside the string at $.a', '\\n'],
  ),
  invalid('CRLF in a text', '["b\r\nc"]', [0], [1, 4], ['line break', '\\n']),
  invalid('tab in a text', '["b\tc"]', [0], [1, 4], ['tab', '\\t']),
  invalid('control character in a text', '["b\u0001c"]', [0], [1, 4], ['U+0001', '\\u0001']),
  invalid(
    'line break in a key',
    '{"x": {"a\nb": 1}}',
    ['x'],
    [1, 10],
    ['inside a key of the object at $.x', '\\n'],
  ),

  invalid('comment after a value', '{"a": 1, // one\n"b": 2}', [], [1, 10], ['comment', 'no comments']),
  invalid('comment before a comma', '[1 /* one */, 2]', [0], [1, 4], ['comment', 'no comments']),
  invalid('comment for a value', '[# one\n1]', [0], [1, 2], ['comment', 'no comments']),

  invalid('NaN', '{"a": NaN}', ['a'], [1, 7], ['NaN', 'Write null']),
  invalid('Infinity', '[Infinity]', [0], [1, 2], ['Infinity', 'Write null']),
  invalid('-Infinity', '[-Infinity]', [0], [1, 2], ['-Infinity', 'write null']),
  invalid('undefined', '[undefined]', [0], [1, 2], ['undefined', 'Write null']),
  invalid('True', '[True]', [0], [1, 2], ['True', 'Write true']),
  invalid('FALSE', '[1, FALSE]', [1], [1, 5], ['FALSE', 'Write false']),
  invalid('None', '{"a": None}', ['a'], [1, 7], ['None', 'Write null']),
  invalid('None alone', 'None', [], [1, 1], ['None', 'Write null']),
  invalid(
    'a word that every object knows',
    '[constructor]',
    [0],
    [1, 2],
    ['constructor', 'Put strings in double quotes'],
  ),

  invalid('leading zero', '[007]', [0], [1, 2], ['007 at $[0] has a leading zero', 'Leave out']),
  invalid('leading zero behind a minus', '[-01]', [0], [1, 2], ['leading zero', 'Leave out']),
  invalid('plus', '{"a": +1}', ['a'], [1, 7], ['plus sign', 'Leave out']),
  invalid('point in front', '[.5]', [0], [1, 2], ['no digit before its point', '0 before']),
  invalid('point at the end', '[5.]', [0], [1, 2], ['no digit after its point', 'point']),
  invalid('exponent without digits', '[5e, 1]', [0], [1, 2], ['no digit after its e', 'e']),
  invalid('point behind an exponent, at the end', '[1e5.', [0], [1, 2], ['1e5.', 'number alone']),
  invalid('hexadecimal', '[0x1F]', [0], [1, 2], ['not decimal', 'decimal']),
  invalid('underscores', '[1_000]', [0], [1, 2], ['underscore', 'Leave out']),
  invalid('unit', '{"a": 45s}', ['a'], [1, 7], ['45s', 'number alone']),
  invalid('minus alone', '[-, 1]', [0], [1, 2], ['has no number', 'number']),
  invalid('too large', '{"a": [1e400]}', ['a', 0], [1, 8], ['is too large', 'smaller']),
  invalid('too many digits', `[-${'9'.repeat(400)}]`, [0], [1, 2], ['is too large', 'smaller']),

  invalid('escape of an underscore', '["a\\_b"]', [0], [1, 4], ['Found \\_', '_ without a backslash']),
  invalid('escape of a single quote', '["it\\\'s"]', [0], [1, 5], ["Found \\'", "' without a backslash"]),
  invalid('escape of a line break', '["a\\\nb"]', [0], [1, 4], ['lone backslash', '\\n']),
  invalid('escape by two digits', '["\\x41"]', [0], [1, 3], ['Found \\x', '\\u0041']),
  invalid('path with backslashes', '["C:\\users"]', [0], [1, 5], ['Found \\u', '\\\\']),
  invalid('escape in a key', '{"a\\-b": 1}', [], [1, 4], ['inside a key of the object at $', '- without']),

  invalid('dots for a value', '[1, ...]', [1], [1, 5], ['dots', 'everything out']),
  invalid('dots for entries', '{"a": 1, ...}', [], [1, 10], ['ellipsis', 'everything out']),
  invalid('dots after a value', '[1 …]', [0], [1, 4], ['ellipsis', 'everything out']),
  invalid('all of it escaped', '{\\"a\\": 1}', [], [1, 2], ['backslash', 'write " for \\"']),
  invalid('no-break space', '{"a":\u00a01}', ['a'], [1, 6], ['U+00A0', 'plain space']),
  invalid('zero-width space', '[1\u200b]', [0], [1, 3], ['U+200B', 'Leave it out']),
  invalid('byte order mark within', '[\uFEFF1]', [0], [1, 2], ['U+FEFF', 'Leave it out']),
  invalid('other character', '[1, %]', [1], [1, 5], ['Found `%`', 'A value is']),
  invalid('other character for a key', '{(1): 2}', [], [1, 2], ['Found `(`', 'double quotes']),

  invalid('no colon', '{"a" 1}', ['a'], [1, 6], ['colon is missing', 'colon between']),
  invalid('equals sign', '{"a" = 1}', ['a'], [1, 6], ['equals sign', 'colon between']),
  invalid('key alone', '{"a", "b": 1}', ['a'], [1, 5], ['key of $.a has no value', 'colon and a value']),
  invalid('no value', '{"a": , "b": 1}', ['a'], [1, 7], ['no value at $.a', 'after the colon']),
  invalid('no last value', '{"a": }', ['a'], [1, 7], ['no value at $.a', 'after the colon']),
  invalid(
    'array closed as an object',
    '{"a": [1}',
    ['a', 0],
    [1, 9],
    ['array at $.a is closed with }', 'Write ]'],
  ),
  invalid(
    'object closed as an array',
    '[{"a": 1]',
    [0, 'a'],
    [1, 9],
    ['object at $[0] is closed with ]', 'Write }'],
  ),
  invalid(
    'empty object closed as an array',
    '{]',
    [],
    [1, 2],
    ['object at $ is closed with ]', 'an object with }'],
  ),
  invalid(
    'empty array closed as an object',
    '[[}',
    [0, 0],
    [1, 3],
    ['array at $[0] is closed with }', 'an array with ]'],
  ),
  invalid('closing bracket alone', ']', [], [1, 1], ['Found `]`', 'A value is']),
  invalid('key in an array', '["a": 1]', [0], [1, 5], ['The array at $ contains', '{ and }']),
  invalid('no braces', '"a": 1', [], [1, 4], ['braces of an object are missing', '{']),
  invalid('prose alone', 'I could not find the file.', [], [1, 1], ['no JSON in the text', 'nothing else']),

  around(
    'words before',
    '\nHere it is:\n{"a": 1}',
    [2, 1],
    [/"Here it is:".*before the JSON/, 'nothing else'],
  ),
  around(
    'numbered words before',
    '1. Looked at it.\n{"a": 1}',
    [1, 1],
    ['"1. Looked at it."', 'nothing else'],
  ),
  around('words behind', '{"a": 1}\n\nDone.', [3, 1], ['"Done.", after', 'nothing else']),
  around('fence', '```json\n{"a": 1}\n```\n', [1, 1], ['Found a fence before', 'no fence']),
  around('fence behind', '{"a": 1}\n```\n', [2, 1], ['Found a fence after', 'no fence']),
  around('other fence', '~~~\n{}\n~~~', [1, 1], ['Found a fence before', 'no fence']),
  around('tag', '<report>{}</report>', [1, 1], ['"<report>"', 'nothing else']),
  around('comment before', '// the report\n{}', [1, 1], ['Found a comment before', 'nothing else']),
  around('comment behind', '{} /* end */', [1, 4], ['Found a comment after', 'nothing else']),
  around('quotes around all of it', "'{}'", [1, 1], ['before the JSON', 'nothing else']),
  around('two values', '{"a": 1}\n{"b": 2}', [2, 1], ['second JSON value', 'one array']),
  around('two texts', '"a" "b"', [1, 5], ['after the JSON', 'nothing else']),
  around('bracket too many', '{"a": 1}}', [1, 9], ['Found } after', 'Leave it out']),
  around('comma behind', '[1],', [1, 4], ['","', 'nothing else']),
  around('a second byte order mark', '\uFEFF\uFEFF{}', [1, 1], ['before the JSON', 'nothing else']),

  cutOff(
    'in a text',
    CUT_MAP,
    ['findings', 'context_map', 3, 0],
    [1, 79],
    'ends inside the string at $.findings.context_map[3][0]',
  ),
  cutOff('in an escape', '["a\\', [0], [1, 5], 'inside the string at $[0]'),
  cutOff('in an escape of digits', '["a\\u00', [0], [1, 8], 'inside the string at $[0]'),
  cutOff('between two halves', '["\\ud83d\\u', [0], [1, 11], 'inside the string at $[0]'),
  cutOff('within a character', '["\ud83d', [0], [1, 4], 'inside the string at $[0]'),
  cutOff('in a key', '{"a": {"b', ['a'], [1, 10], 'inside a key of the object at $.a'),
  cutOff('behind a key', '{"a"', ['a'], [1, 5], 'before the value at $.a'),
  cutOff('behind a colon', '{"a":\n', ['a'], [1, 6], 'before the value at $.a'),
  cutOff('behind a comma', '{"a": 1,\n', [], [1, 9], 'inside the object at $'),
  cutOff('after a value', '{"a": [1\n\n', ['a'], [1, 9], 'inside the array at $.a'),
  cutOff('behind a bracket', '[[], {', [1], [1, 7], 'inside the object at $[1]'),
  cutOff('in a word', '[true, fal', [1], [1, 11], 'inside the value at $[1]'),
  cutOff('behind a minus', '[-', [0], [1, 3], 'inside the number at $[0]'),
  cutOff('behind a point', '[1.', [0], [1, 4], 'inside the number at $[0]'),
  cutOff('in an exponent', '[1.5e-', [0], [1, 7], 'inside the number at $[0]'),
  cutOff('in a text at the top', '"abc', [], [1, 5], 'inside the string at $'),

  fault(
    'a key twice',
    '{"a": {"b": 1,\n"b": 2}}',
    'json-key-repeated',
    ['a', 'b'],
    [2, 1],
    ['object at $.a has a key twice', 'one of the two'],
  ),
  fault(
    'a key twice, once escaped',
    '[{"ab": 1, "\\u0061b": 1}]',
    'json-key-repeated',
    [0, 'ab'],
    [1, 12],
    ['$[0].ab', 'one of the two'],
  ),
  fault(
    'an empty key twice',
    '{"": 1, "": 1}',
    'json-key-repeated',
    [''],
    [1, 9],
    ["$['']", 'one of the two'],
  ),
  fault(
    'a number-like key twice',
    '{"1": 1, "0": 1, "1": 1}',
    'json-key-repeated',
    ['1'],
    [1, 18],
    ["$['1']", 'one of the two'],
  ),
  fault(
    '__proto__',
    '{"__proto__": {}}',
    'json-key-forbidden',
    ['__proto__'],
    [1, 2],
    ['__proto__', 'another name'],
  ),
  fault(
    '__proto__ escaped',
    PROTO,
    'json-key-forbidden',
    ['a', 0, '__proto__'],
    [1, 17],
    ['object at $.a[0]', 'another name'],
  ),

  fault('high half', '["a\ud800b"]', 'json-half-character', [0], [1, 4], ['U+D800', 'whole character']),
  fault('low half', '["a\udc00"]', 'json-half-character', [0], [1, 4], ['U+DC00', 'whole character']),
  fault(
    'two high halves',
    '["\ud83d\ud83d\ude00"]',
    'json-half-character',
    [0],
    [1, 3],
    ['U+D83D', 'whole character'],
  ),
  fault(
    'escaped high half',
    '{"a": "\\ud800"}',
    'json-half-character',
    ['a'],
    [1, 8],
    ['\\ud800', 'both of its halves'],
  ),
  fault(
    'escaped low half',
    '["\\uDC00"]',
    'json-half-character',
    [0],
    [1, 3],
    ['\\uDC00', 'both of its halves'],
  ),
  fault(
    'halves in the wrong order',
    '["\\ude00\\ud83d"]',
    'json-half-character',
    [0],
    [1, 3],
    ['\\ude00', 'both'],
  ),
  fault(
    'half before another escape',
    '["\\ud83d\\n"]',
    'json-half-character',
    [0],
    [1, 3],
    ['\\ud83d', 'both'],
  ),
  fault(
    'one half escaped',
    '["\ud83d\\ude00"]',
    'json-half-character',
    [0],
    [1, 3],
    ['U+D83D', 'whole character'],
  ),
  fault(
    'the other half escaped',
    '["\\ud83d\ude00"]',
    'json-half-character',
    [0],
    [1, 3],
    ['\\ud83d', 'both'],
  ),
  fault(
    'half in a key',
    '{"x": {"\\ud800": 1}}',
    'json-half-character',
    ['x'],
    [1, 9],
    ['key of the object at $.x', 'both'],
  ),
  fault(
    'half in a key as such',
    '{"\ud800": 1}',
    'json-half-character',
    [],
    [1, 3],
    ['key of the object at $', 'whole'],
  ),

  fault(
    '201 levels',
    `${'['.repeat(201)}${']'.repeat(201)}`,
    'json-too-deep',
    [0, 0, 0],
    [1, 201],
    ['200 levels', 'fewer'],
  ),
  fault(
    '201 levels of objects',
    `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`,
    'json-too-deep',
    ['a', 'a', 'a'],
    [1, 1001],
    ['below $.a.a.a', 'fewer'],
  ),
  invalid('behind a byte order mark', '\uFEFF{"a": 1,}', [], [1, 8], ['comma', 'Leave out']),
  invalid('the first of two faults', '{"a": 01, "a": NaN}', ['a'], [1, 7], ['leading zero', 'Leave out']),
];
