// The names under which an entry that is written as an object holds its parts. In each list the first that is filled
// stands. The schema and the reader are both made of these.

export const TEXT_FIELDS = [
  'text',
  'description',
  'summary',
  'note',
  'content',
  'explanation',
  'finding',
  'comment',
  'purpose',
  'title',
  'name',
] as const;

export const ADDRESS_FIELDS = [
  'uri',
  'reference',
  'ref',
  'location',
  'path',
  'file',
  'file_path',
  'filePath',
  'source',
  'url',
  'link',
  'address',
] as const;

/** `45`, `"45-120"`, `[45, 120]`, `{"start": 45, "end": 120}` */
export const LINES_FIELDS = ['lines', 'line', 'line_range', 'lineRange'] as const;

/** The first and the last line, each on its own. */
export const EDGE_FIELDS = [
  ['start_line', 'end_line'],
  ['line_start', 'line_end'],
  ['startLine', 'endLine'],
  ['lineStart', 'lineEnd'],
] as const;

/** The same inside of a field of lines. */
export const LINES_EDGES = [
  ['start', 'end'],
  ['from', 'to'],
] as const;

export const ENTRY_FIELDS: readonly string[] = [
  ...TEXT_FIELDS,
  ...ADDRESS_FIELDS,
  ...LINES_FIELDS,
  ...EDGE_FIELDS.flat(),
];
