import { type Block, fenceText, type ListItem, scanBlocks, scanItem } from '../../../core/markdown/blocks.js';
import { columnOf, firstInk, type Lines, lineText, splitLines } from '../../../core/markdown/lines.js';
import type { Look, Style } from '../output.js';
import { BLANK, foreign, type Line, type Span, splitText } from '../terminal/line.js';

/** Deeper lists are shown as plain text. */
const DEPTH = 6;
/** Table rows, HTML and list items start a new line. */
const OWN_LINE = /^(?:[|<]|[-*+] |\d{1,9}[.)] )/;

/** Renders Markdown with styles; no word is omitted. */
export function markdownLines(text: string, look: Look): Line[] {
  const gutter: Span = { text: `  ${look.glyphs.gutter} `, style: 'dim' };
  const lines = splitLines(text);
  return renderBlocks(lines, scanBlocks(lines), { look, lead: [gutter], more: [gutter], depth: 0 });
}

interface Place {
  look: Look;
  lead: readonly Span[];
  more: readonly Span[];
  depth: number;
  /** The column where a list item's text starts. */
  column?: number;
}

function renderBlocks(lines: Lines, blocks: readonly Block[], place: Place): Line[] {
  const out: Line[] = [];
  let end: number | undefined;
  for (const block of blocks) {
    if (end !== undefined && block.at > end) out.push({ ...BLANK, lead: place.more });
    const here = out.length === 0 ? place : { ...place, lead: place.more };
    for (const line of renderBlock(lines, block, here)) out.push(line);
    end = block.end;
  }
  return out;
}

function renderBlock(lines: Lines, block: Block, place: Place): Line[] {
  const { look } = place;
  switch (block.type) {
    case 'heading':
      return [
        {
          lead: place.lead,
          more: place.more,
          spans: block.spaced
            ? inline(block.text, look, 'title')
            : inline(lineText(lines, block.at).trim(), look),
          wrap: 'words',
        },
      ];
    case 'rule':
      return [{ ...BLANK, lead: [...place.lead, { text: look.glyphs.rule.repeat(8), style: 'dim' }] }];
    case 'fence':
      return renderFence(splitText(fenceText(lines, block)), block.mark.info, place);
    case 'list':
      return block.items.flatMap((item, at) =>
        renderItem(lines, item, at === 0 ? place : { ...place, lead: place.more }),
      );
    case 'text':
      return renderText(lines, block.at, block.end, place);
  }
}

function renderFence(content: readonly string[], info: string, { look, lead, more }: Place): Line[] {
  const bar: Span = { text: `${look.glyphs.more} `, style: 'code' };
  const title: Line[] =
    info === ''
      ? []
      : [{ lead: [...lead, bar], more, spans: foreign(info, look, { style: 'dim' }), wrap: 'cells' }];
  const first = title.length === 0 ? lead : more;
  return [
    ...title,
    ...content.map(
      (line, at): Line => ({
        lead: [...(at === 0 ? first : more), bar],
        more: [...more, bar],
        spans: foreign(line, look, { style: 'code' }),
        wrap: 'cells',
      }),
    ),
  ];
}

function renderItem(lines: Lines, item: ListItem, place: Place): Line[] {
  const { look } = place;
  const marker = lines.text.slice(firstInk(lines, item.at), item.offset).trim();
  const bullet = /^\d/.test(marker) ? marker : look.glyphs.bullet;
  const lead = [...place.lead, { text: `${bullet} `, style: 'accent' as const }];
  const more = [...place.more, { text: ' '.repeat(bullet.length + 1) }];
  const inside: Place = { look, lead, more, depth: place.depth + 1, column: item.column };
  if (place.depth >= DEPTH) return renderText(lines, item.at, item.end, inside, item.offset);
  const blocks = scanItem(lines, item);
  return blocks.length === 0
    ? [{ lead, more, spans: [], wrap: 'words' }]
    : blocks.flatMap((block, at) => {
        const here = at === 0 ? inside : { ...inside, lead: more };
        return at === 0 && block.type === 'text'
          ? renderText(lines, block.at, block.end, here, item.offset)
          : renderBlock(lines, block, here);
      });
}

/** Joins the lines of a paragraph; quotes, tables and indented code stay as they are. */
function renderText(lines: Lines, from: number, to: number, place: Place, offset?: number): Line[] {
  const { look } = place;
  const out: { lead: Span[]; more: Span[]; text: string; style?: Style | undefined; open: boolean }[] = [];
  for (let at = from; at < to; at++) {
    const ink = at === from && offset !== undefined ? offset : firstInk(lines, at);
    const text = lines.text.slice(ink, lines.ends[at]);
    const indent = columnOf(lines.text, lines.starts[at]!, ink) - (place.column ?? 0);
    const quote = /^>[ >]{0,20}/.exec(text)?.[0];
    const open = quote === undefined && !OWN_LINE.test(text) && !/(?: {2}|\\)$/.test(text);
    const previous = out.at(-1);
    if (previous?.open && quote === undefined && !OWN_LINE.test(text)) {
      previous.text += ` ${text}`;
      previous.open = open;
      continue;
    }
    const lead = out.length === 0 ? place.lead : place.more;
    const bar = beforeText(quote, at === from && offset !== undefined ? 0 : indent, look);
    out.push({
      lead: [...lead, bar],
      more: [...place.more, bar],
      text: text.slice(quote?.length ?? 0),
      style: quote === undefined ? undefined : 'dim',
      open: open && indent < 4,
    });
  }
  return out.map(({ lead, more, text, style }) => ({
    lead,
    more,
    spans: inline(text, look, style),
    wrap: 'words',
  }));
}

function beforeText(quote: string | undefined, indent: number, { glyphs }: Look): Span {
  if (quote !== undefined)
    return { text: `${glyphs.more} `.repeat(quote.split('>').length - 1), style: 'dim' };
  return { text: ' '.repeat(indent < 4 ? 0 : Math.min(indent, 12)) };
}

// In turn: a code span, bold, emphasis, a link. Bounded, so that no text is searched again and again.
const INLINE = new RegExp(
  [
    '(?<code>`[^`]{1,400}`)',
    String.raw`\*\*(?<bold>[^*\s][^*]{0,400})\*\*`,
    String.raw`(?<![\p{L}\p{N}*])\*(?<em>[^*\s][^*]{0,200})\*(?![\p{L}\p{N}*])`,
    String.raw`\[(?<label>[^\][]{1,200})\]\((?<target>[^()\s]{1,500})\)`,
  ].join('|'),
  'gu',
);

function inline(text: string, look: Look, style?: Style): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    spans.push(...foreign(text.slice(from, match.index), look, { style }));
    spans.push(...inlinePart(match.groups!, look, style));
    from = match.index + match[0].length;
  }
  return [...spans, ...foreign(text.slice(from), look, { style })];
}

function inlinePart(groups: Record<string, string>, look: Look, style: Style | undefined): Span[] {
  const { code, bold, em, label, target } = groups;
  // Backticks stay: without colours they are the only mark of code.
  if (code !== undefined) return foreign(code, look, { style: 'code' });
  if (bold !== undefined) return foreign(bold, look, { style: 'strong' });
  if (em !== undefined) return foreign(em, look, { style: 'emphasis' });
  const same = target === label || target === `/${label}`;
  return [
    ...foreign(label!, look, { style: 'accent' }),
    ...(same
      ? []
      : [{ text: ' (', style }, ...foreign(target!, look, { style: 'dim' }), { text: ')', style }]),
  ];
}
