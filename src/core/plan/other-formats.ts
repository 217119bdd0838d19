// What models answer with when they do not write a plan at all: calls of tools, patches and diffs.

interface OtherFormat {
  /** With its article: "a tool call in JSON". */
  what: string;
  /** What to do about it. */
  hint: string;
  /** Whether a text that starts so, white space (of `indent`) and an opening fence aside, is in this format. */
  matches(start: string, indent: number): boolean;
}

export const PLAN_SHAPE =
  'A plan has a "# Title", "## Rationale" with one block, and "## Action Plan" with actions such as "### `CREATE`".';
const AS_EDITS = 'Write a plan with an EDIT for each file that changes, and a CREATE for each new one.';

const OTHER_FORMATS: readonly OtherFormat[] = [
  {
    what: 'a tool call in JSON',
    hint: PLAN_SHAPE,
    matches: (start) =>
      isJson(start) &&
      (/"(?:tool_calls|tool_use|function_call|functionCall|toolUse)"/.test(start) ||
        /"(?:input|arguments|parameters|args)"\s*:/.test(start)),
  },
  { what: 'JSON', hint: PLAN_SHAPE, matches: isJson },
  {
    what: 'YAML',
    hint: PLAN_SHAPE,
    matches: (start) => /^(?:---\r?\n)?\w+:/.test(start) && /^actions:\s*\r?\n\s*- /m.test(start),
  },
  {
    what: 'a tool call in XML',
    hint: PLAN_SHAPE,
    matches: (start) =>
      /^<(?:\w+:)?(?:function_calls|function_call|tool_calls?|tool_use|invoke)\b/.test(start),
  },
  {
    what: 'a set of files in XML',
    hint: PLAN_SHAPE,
    matches: (start) =>
      /^(?:[^<\n]*\n\s*)?<(?:boltArtifact|antArtifact|artifact|files?|create_file|write_(?:to_)?file|edit(?:_file)?|changes)\b/i.test(
        start,
      ),
  },
  {
    what: 'a text in quotes with "\\n" for its new lines',
    hint: 'Write the plan itself, line by line.',
    matches: (start) => start.startsWith('"') && start.split('\n', 1)[0]!.includes('\\n## '),
  },
  {
    what: 'a quotation with ">" before each line',
    hint: 'Write the plan without ">" before its lines.',
    matches: (start) => /^>/.test(start) && /^> ?## /m.test(start),
  },
  {
    what: 'a block of code, indented by four spaces',
    hint: 'Write the plan without white space before its lines.',
    matches: (start, indent) => indent >= 4 && /^ {4}## /m.test(start),
  },
  {
    what: 'a patch for apply_patch',
    hint: AS_EDITS,
    matches: (start) => /^\*{3} Begin Patch/.test(start),
  },
  {
    what: 'a diff',
    hint: AS_EDITS,
    matches: (start) => /^(?:diff --git |--- [^\n]*\n\+\+\+ )/.test(start),
  },
  {
    what: 'a set of SEARCH/REPLACE blocks',
    hint: AS_EDITS,
    matches: (start) => /^(?:[^\n]*\n)?(?:[`~]{3,}[^\n]*\n)?<{5,9} ?SEARCH\b/.test(start),
  },
];

const LONGEST = 4000;

/** The format that a text is in instead of a plan's. */
export function findOtherFormat(text: string): Omit<OtherFormat, 'matches'> | undefined {
  const start = text
    .slice(0, LONGEST)
    .trimStart()
    .replace(/^[`~]{3,}[^\n]*\n\s*/, '');
  const indent =
    text
      .slice(0, LONGEST)
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.search(/\S/) ?? 0;
  return OTHER_FORMATS.find(({ matches }) => matches(start, indent));
}

function isJson(start: string): boolean {
  return /^(?:\[\s*)*\{\s*"/.test(start);
}
