import { contentEndOf, contentStart, familyOf, fold, isFoldedSpace } from './lines.js';

/**
 * Which quotes, dashes and spaces the file has where FIND has others. REPLACE gets the file's, where FIND
 * shows which that are: a curly quote never gets into code because FIND happened to have it too.
 */
export class Characters {
  private readonly images = new Map<string, Set<string>>();
  /** The families in which FIND and the file differ somewhere. */
  private readonly differing = new Set<string>();

  /** `removed` are the indices of FIND's lines that REPLACE does not keep. */
  constructor(
    findLines: readonly string[],
    fileLines: readonly string[],
    removed: { from: number; to: number },
    private readonly text: string,
  ) {
    for (const [index, line] of findLines.entries()) {
      const [find, file] = [contentOf(line), contentOf(fileLines[index]!)];
      const isRemoved = index >= removed.from && index < removed.to;
      for (let at = 0; at < find.length; at++) this.learn(find, file, at, isRemoved);
    }
  }

  /** A line of REPLACE in the file's characters; undefined where one of them could be several. */
  inFile(line: string): string | undefined {
    const start = contentStart(line, isFoldedSpace);
    const content = contentOf(line);
    let written = '';
    for (let at = 0; at < content.length; at++) {
      const char = this.charInFile(content, at);
      if (char === undefined) return undefined;
      written += char;
    }
    return line.slice(0, start) + written + line.slice(start + content.length);
  }

  private learn(find: string, file: string, at: number, isRemoved: boolean): void {
    const char = find[at]!;
    const family = familyOf(char);
    if (family === undefined) return;
    const image = file[at]!;
    if (image !== char) this.differing.add(family);
    for (const key of keysOf(find, at)) this.addImage(key, image);
    this.addImage(`file ${fold(char)}`, image);
    if (isRemoved) this.addImage(`removed ${char}`, image);
  }

  private addImage(key: string, image: string): void {
    const images = this.images.get(key) ?? new Set();
    this.images.set(key, images.add(image));
  }

  private charInFile(content: string, at: number): string | undefined {
    const char = content[at]!;
    const family = familyOf(char);
    if (family === undefined) return char;
    if (!this.differing.has(family)) return this.isForeign(char, family) ? undefined : char;
    for (const key of keysOf(content, at)) {
      const [image, another] = this.images.get(key) ?? [];
      if (another === undefined && image !== undefined) return image;
    }
    if (!this.images.has(char)) return this.isFileOwn(char) ? char : undefined;
    // Nearly every line has plain spaces: where those that go are plain, the new ones are.
    const removed = this.images.get(`removed ${char}`);
    return char === ' ' && removed?.size === 1 && removed.has(' ') ? ' ' : undefined;
  }

  /** A curly quote that the file has nowhere. People do write dashes; quotes are made curly on the way. */
  private isForeign(char: string, family: string): boolean {
    return family === '"' && fold(char) !== char && !this.text.includes(char);
  }

  /** Whether REPLACE has it from the file: FIND has others for it throughout. */
  private isFileOwn(char: string): boolean {
    const images = this.images.get(`file ${fold(char)}`);
    return images?.size === 1 && images.has(char);
  }
}

/** A character alone, then with its side where that is clear: an opening quote has another form than a closing one. */
function keysOf(content: string, at: number): string[] {
  const char = content[at]!;
  const [before, after] = [content[at - 1] ?? ' ', content[at + 1] ?? ' '].map(inkOf) as [number, number];
  if (before === after) return [char];
  return [char, `${before < after ? 'opening' : 'closing'} ${char}`];
}

/** A quote opens towards a word and away from white space; other signs are in between. */
function inkOf(char: string): number {
  if (isFoldedSpace(char.charCodeAt(0))) return 0;
  return /[\p{L}\p{N}_]/u.test(char) ? 2 : 1;
}

function contentOf(line: string): string {
  const end = contentEndOf(line, isFoldedSpace);
  return line.slice(Math.min(end, contentStart(line, isFoldedSpace)), end);
}
