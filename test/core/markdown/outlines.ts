import {
  type Block,
  fenceText,
  type ListItem,
  scanBlocks,
  scanItem,
} from '../../../src/core/markdown/blocks.js';
import { type Lines, splitLines } from '../../../src/core/markdown/lines.js';
import { type CommonmarkNode, childrenOf, descendantsOf, parseCommonmark } from '../../corpus/commonmark.js';

/** What two readers of Markdown have to agree on, for one block at the top of a document. Lines count from 1. */
type Shape =
  | { type: 'heading'; line: number; level: number; text: string }
  | { type: 'fence'; line: number; end: number | null; info: string; literal: string }
  /** `fences`: the texts of the fenced blocks that stand right in its items. */
  | { type: 'list'; line: number; fences: string[] };

export function ourOutline(text: string): Shape[] {
  const lines = splitLines(text);
  return scanBlocks(lines).flatMap((block: Block): Shape[] => {
    const line = block.at + 1;
    switch (block.type) {
      case 'heading':
        // `#Title` is a heading of ours alone.
        return block.spaced ? [{ type: 'heading', line, level: block.level, text: words(block.text) }] : [];
      case 'fence': {
        const end = block.closed ? block.end : null;
        return [{ type: 'fence', line, end, info: block.mark.info, literal: fenceText(lines, block) }];
      }
      case 'list':
        return [{ type: 'list', line, fences: block.items.flatMap((item) => itemFences(lines, item)) }];
      default:
        return [];
    }
  });
}

export function commonmarkOutline(text: string): Shape[] {
  const source = text.split(/\r\n|\n/);
  return [...childrenOf(parseCommonmark(text))].flatMap((node): Shape[] => {
    const [[line], [end]] = node.sourcepos;
    if (node.type === 'list') {
      const fences = [...childrenOf(node)].flatMap((item) => [...childrenOf(item)]).filter(isFence);
      return [{ type: 'list', line, fences: fences.map(({ literal }) => literal ?? '') }];
    }
    if (node.type === 'heading' && source[line - 1]!.trimStart().startsWith('#')) {
      return [{ type: 'heading', line, level: node.level, text: literalsOf(node) }];
    }
    if (!isFence(node)) return [];
    const closed = end > line && isCloser(source[end - 1] ?? '', node);
    return [
      { type: 'fence', line, end: closed ? end : null, info: infoOf(node), literal: node.literal ?? '' },
    ];
  });
}

function itemFences(lines: Lines, item: ListItem): string[] {
  return scanItem(lines, item).flatMap((block) => (block.type === 'fence' ? [fenceText(lines, block)] : []));
}

function isFence(node: CommonmarkNode): boolean {
  return node.type === 'code_block' && node._isFenced;
}

function isCloser(line: string, { _fenceChar, _fenceLength }: CommonmarkNode): boolean {
  const fence = line.trim();
  return fence.length >= _fenceLength && fence === _fenceChar.repeat(fence.length) && /^ {0,3}\S/.test(line);
}

/** The text that a heading's source shows, as CommonMark has it. */
function words(heading: string): string {
  return literalsOf(parseCommonmark(`# ${heading} #\n`));
}

function literalsOf(node: CommonmarkNode): string {
  return [...descendantsOf(node)].map(({ literal }) => literal ?? '').join('');
}

function infoOf(node: CommonmarkNode): string {
  return (node as CommonmarkNode & { info: string | null }).info ?? '';
}
