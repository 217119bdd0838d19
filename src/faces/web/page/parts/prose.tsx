import type { ComponentChildren } from 'preact';
import {
  type Block,
  fenceText,
  type ListItem,
  scanBlocks,
  scanItem,
} from '../../../../core/markdown/blocks.js';
import { firstInk, type Lines, splitLines } from '../../../../core/markdown/lines.js';
import { Foreign, ForeignLine } from './foreign.js';

/** Lists inside lists beyond this are shown as they are written. */
const DEPTH = 6;

/** A text for reading: Markdown's signs become looks, and no word of it is left out. Nothing in it is a link. */
export function Prose({ text }: { text: string }) {
  const lines = splitLines(text);
  return <div class="prose">{renderBlocks(lines, scanBlocks(lines), 0)}</div>;
}

function renderBlocks(lines: Lines, blocks: readonly Block[], depth: number): ComponentChildren {
  return blocks.map((block) => renderBlock(lines, block, depth));
}

function renderBlock(lines: Lines, block: Block, depth: number, offset?: number): ComponentChildren {
  switch (block.type) {
    case 'heading':
      return (
        <p class="prose-heading">
          <Inline text={block.text} />
        </p>
      );
    case 'rule':
      return <hr />;
    case 'fence':
      return (
        <pre class="block">
          <Foreign text={fenceText(lines, block).replace(/\n$/, '')} />
        </pre>
      );
    case 'list': {
      const Tag = /^\d/.test(lines.text.slice(firstInk(lines, block.at), block.items[0]!.offset))
        ? 'ol'
        : 'ul';
      return <Tag>{block.items.map((item) => renderItem(lines, item, depth))}</Tag>;
    }
    case 'text':
      return renderText(lines, block.at, block.end, offset);
  }
}

function renderItem(lines: Lines, item: ListItem, depth: number): ComponentChildren {
  if (depth >= DEPTH) return <li>{renderText(lines, item.at, item.end, item.offset)}</li>;
  return (
    <li>
      {scanItem(lines, item).map((block, at) =>
        renderBlock(lines, block, depth + 1, at === 0 ? item.offset : undefined),
      )}
    </li>
  );
}

/** Rows of tables, quotes and hard breaks do not flow into the line before. */
const OWN_LINE = /^(?:[|<>]|[-*+] |\d{1,9}[.)] )/;

function renderText(lines: Lines, from: number, to: number, offset?: number): ComponentChildren {
  const texts: string[] = [];
  for (let at = from; at < to; at++) {
    const start = at === from && offset !== undefined ? offset : firstInk(lines, at);
    const text = lines.text.slice(start, lines.ends[at]);
    const last = texts.at(-1);
    if (last === undefined || OWN_LINE.test(text) || OWN_LINE.test(last) || / {2}$|\\$/.test(last))
      texts.push(text);
    else texts[texts.length - 1] = `${last} ${text}`;
  }
  return (
    <p>
      {texts.map((text, at) => [at > 0 ? <br key={at} /> : null, <Inline key={`text ${at}`} text={text} />])}
    </p>
  );
}

// In turn: a code span, bold, emphasis, a link. Bounded, so that no text is searched again and again.
const INLINE =
  /`(?<code>[^`]{1,400})`|\*\*(?<bold>[^*\s][^*]{0,400})\*\*|(?<![\p{L}\p{N}*])\*(?<em>[^*\s][^*]{0,200})\*(?![\p{L}\p{N}*])|\[(?<label>[^\][]{1,200})\]\((?<target>[^()\s]{1,500})\)/gu;

function Inline({ text }: { text: string }): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(<ForeignLine text={text.slice(from, match.index)} />, inlinePart(match.groups!));
    from = match.index + match[0].length;
  }
  return [...parts, <ForeignLine key="rest" text={text.slice(from)} />];
}

function inlinePart({ code, bold, em, label, target }: Record<string, string>): ComponentChildren {
  if (code !== undefined)
    return (
      <code>
        <ForeignLine text={code} />
      </code>
    );
  if (bold !== undefined)
    return (
      <strong>
        <ForeignLine text={bold} />
      </strong>
    );
  if (em !== undefined)
    return (
      <em>
        <ForeignLine text={em} />
      </em>
    );
  return (
    <>
      <ForeignLine text={label!} />
      {target === label ? null : (
        <span class="faint">
          {' ('}
          <ForeignLine text={target!} />)
        </span>
      )}
    </>
  );
}
