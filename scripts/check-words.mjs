// npm run check:words [-- PATH…]: the words that users read. Lists every phrase that docs and messages do not use, with
// the one to use instead: in the string literals of src, in the pages, and in the agents that come with teddy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Each pattern with what to write instead. A phrase, not a single word, wherever the word has a good use too. */
const PHRASES = [
  [/\b(?:stands|stood)\b(?! for\b)/i, 'is'],
  [/\b(?:it|file|text|plan|folder|which|that) lies\b|\blies (?:in|at|on|under|there)\b/i, 'is'],
  [/\b(?:go|goes|going|went|gone) on\b/i, 'continue, resume'],
  [/\b(?:mend|mends|mended|mending)\b/i, 'fix'],
  [/\b(?:came|comes|come|became|becomes) of (?:it|them|this|that)\b/i, 'result, outcome'],
  [/\b(?:told|tells)\b/i, 'reported, shows'],
  [/\ball the same\b|\bin spite of\b/i, 'anyway'],
  [/\b(?:is|are|was|were) to be\b|\b(?:has|have|had) to be\b/i, 'must'],
  [/\b(?:nobody|somebody|whoever)\b/i, 'you; or name what is missing: there is no terminal'],
  [/\brun(?:s)?(?: \w+){0,2} (?:was|were|is|are|been)? ?cut off\b/i, 'was interrupted'],
  [/\bwait(?:s|ed|ing)? on\b/i, 'depends on, waiting for'],
  [/\b(?:begin|begins|began|begun)\b/i, 'start, started'],
  [/(?<!\bthere )\b(?:is|was|are|were) no (?!longer\b|more\b|such\b|one\b|different\b)[a-z]/i, 'is not a'],
  [/\bput(?:s|ting)?(?: [\w.]+){0,3} back\b/i, 'restored, deleted (say which)'],
  [/\bcarr(?:y|ies|ied|ying)(?: [\w.]+){0,2} out\b/i, 'run'],
  [/\bgiven up\b/i, 'skipped'],
  [/\bforeseen\b/i, 'predicted'],
  [/\bof which nothing was approved\b/i, 'nothing was approved'],
  [/\bseen to by\b/i, 'processed by'],
  [/\bneither there nor\b|\bneither in its place\b/i, 'is missing'],
  [/\bwhat the (?:run|agent|command) made of\b/i, 'what it wrote'],
  [/\bit is yours\b/i, 'you answer it'],
  [/\bmay be a common one\b/i, 'perhaps for the same reason'],
  [/\bbrings? (?:one|it|them) back\b/i, 'makes it ready again, restores it'],
  [/\bbring (?:it|them|the files?) back\b/i, 'restore'],
  [/\bnothing more starts\b/i, 'no more tasks start'],
  [/\bof this plan, with exactly\b/i, 'exactly this plan'],
  [/\bfrom (?:0|1|\d+) on\b/i, 'at least'],
  [/\bis that of another\b/i, 'belongs to another'],
];

/** Text that belongs to a format (`-----BEGIN` of a key, too) or is quoted: exempt wherever it occurs. */
const EXEMPT = /answer-cut-off|\bBEGIN |`[^`]*`|"[^"]*"|“[^”]*”/g;

const TEXT_FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'examples/README.md'];

const wanted = process.argv.slice(2);
const isWanted = (path) => wanted.length === 0 || wanted.some((part) => path.startsWith(part));

const found = [
  ...[...filesBelow('src', '.ts'), ...filesBelow('src', '.tsx')].flatMap(checkCode),
  ...pages().flatMap(checkPage),
];
for (const { path, line, phrase, instead } of found)
  console.error(`${path}:${line}: "${phrase}": ${instead}`);
if (found.length > 0) {
  console.error(`${found.length} phrases that users would read twice.`);
  process.exit(1);
}

function pages() {
  return [...TEXT_FILES, ...filesBelow('docs', '.md'), ...filesBelow('src', '.md')].filter(isWanted);
}

function filesBelow(folder, ending) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .filter(isWanted)
    .sort();
}

function checkCode(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (
      ts.isStringLiteralLike(node) ||
      ts.isJsxText(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      // One word is a key, a code or a name; `(?:` is a pattern for text that others wrote.
      if (/\s/.test(node.text) && !node.text.includes('(?:')) texts.push({ line: line + 1, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts.flatMap(({ line, text }) => checkText(path, line, text));
}

/** Prose only: what is in a fence is output, which is checked where it is made, or somebody else's text. */
function checkPage(path) {
  let fence;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
      if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
        fence = fence === undefined ? mark : undefined;
        return [];
      }
      return fence === undefined ? checkText(path, at + 1, text) : [];
    });
}

function checkText(path, line, text) {
  const own = text.replace(EXEMPT, '');
  return PHRASES.flatMap(([pattern, instead]) => {
    const phrase = pattern.exec(own)?.[0];
    return phrase === undefined ? [] : [{ path, line, phrase, instead }];
  });
}
