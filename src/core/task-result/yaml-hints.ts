const LONGEST_SUGGESTION = 200;

const SPECIAL = new Set('@`%*&![]{}|>,?');

/** What to write instead on a line at which YAML gave up; undefined where nothing on it tells. */
export function hintFor(reason: string, line: string): string | undefined {
  if (reason.includes('several documents')) return 'Send one result at a time, without "---" between two.';
  if (reason.includes('stands twice')) return 'Keep one of the two lines.';
  if (reason.includes('too deeply') || reason.includes('too many values'))
    return 'A result is flat: see the schema for its fields.';
  if (reason.includes('unfold into too much')) return 'Write the values out, without anchors and aliases.';
  const ink = line.search(/[^ \t]/);
  if (ink === -1) return undefined;
  if (line.slice(0, ink).includes('\t')) return 'Indent with spaces: YAML takes no tabs there.';
  const { head, value } = splitLine(line.slice(ink));
  if (head === '')
    return 'A text of several lines stands under "evidence: |", each line indented by two spaces.';
  if (value === '') return undefined;
  const first = value[0]!;
  if (first === '"' || first === "'") return hintForQuotes(head, value, first);
  if (SPECIAL.has(first))
    return `Put the value in quotes, because it begins with ${first}: ${suggest(head, value)}`;
  if (value.startsWith('- ')) return 'Begin a list on the next line, or put the value in quotes.';
  if (value.includes(': ') || value.endsWith(':'))
    return `Put the value in quotes, because it holds a colon: ${suggest(head, value)}`;
  return 'Fields of one level are indented alike; a text of several lines stands under "key: |", indented.';
}

/** Whether the value on a line begins with the quote and does not end with it. */
export function leavesQuoteOpen(line: string, quote: string): boolean {
  const { head, value } = splitLine(line.trimStart());
  return head !== '' && value[0] === quote && (value.length === 1 || !value.endsWith(quote));
}

function hintForQuotes(head: string, value: string, quote: string): string {
  const closed = value.length > 1 && value.endsWith(quote);
  if (!closed) return `Close the quote at the end of the value: ${suggest(head, value.slice(1))}`;
  if (quote === '"' && value.includes('\\'))
    return 'In double quotes write a backslash as \\\\ and a quote as \\"; in single quotes a backslash is itself.';
  return `Inside the quotes write a quote as ${quote === '"' ? '\\"' : "''"}: ${suggest(head, value.slice(1, -1))}`;
}

function suggest(head: string, value: string): string {
  if (value.length > LONGEST_SUGGESTION) return `${head}"…"`;
  return `${head}${JSON.stringify(value)}`;
}

/** `head` is `task_name: ` or `- `, and `value` what stands behind it. */
function splitLine(line: string): { head: string; value: string } {
  const { head } = /^(?<head>(?:- +)?(?:["']?[\w.-]{1,60}["']? ?:(?: +|$))?)/.exec(line)!.groups!;
  return { head: head!, value: line.slice(head!.length).trimEnd() };
}
