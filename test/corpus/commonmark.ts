import { createRequire } from 'node:module';

/** The part of the commonmark package that is used here; it ships without types. */
export interface CommonmarkNode {
  type: string;
  level: number;
  literal: string | null;
  destination: string | null;
  sourcepos: [[number, number], [number, number]];
  firstChild: CommonmarkNode | null;
  next: CommonmarkNode | null;
  _isFenced: boolean;
  _fenceChar: string;
  _fenceLength: number;
}

interface Commonmark {
  Parser: new () => { parse(text: string): CommonmarkNode };
}

const require = createRequire(import.meta.url);
const { Parser } = require('commonmark') as Commonmark;

export const parseCommonmark = (text: string): CommonmarkNode => new Parser().parse(text);

export function* childrenOf(node: CommonmarkNode): Generator<CommonmarkNode> {
  for (let child = node.firstChild; child; child = child.next) yield child;
}

export function* descendantsOf(node: CommonmarkNode): Generator<CommonmarkNode> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* descendantsOf(child);
  }
}
