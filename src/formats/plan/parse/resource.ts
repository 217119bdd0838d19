import { readCodeSpan, readLink, unwrapValue } from '../../markdown/index.js';
import { isProtected, type PathRead, readRootPath } from '../../path.js';
import type { IssueLog } from '../issue-log.js';
import type { Resource } from '../types.js';

/** Where a value comes from, for the messages about it. */
export interface ValueSource {
  label: string;
  line: number;
}

/** What is left of a link that could not be read; brackets alone may be part of a name. */
const LINK_SEAM = /\]\(|^\[[^\]/]*\/[^\]]*\]$/;

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]{1,20}):\/\//;

const LINK_HINT = 'Write it as a link from the project root: [src/app.ts](/src/app.ts).';

/** A File Path. Undefined, with an issue, when it cannot be one. */
function readFilePath(value: string, source: ValueSource, log: IssueLog): string | undefined {
  const target = readTarget(value, source, log);
  if (isUrl(target)) {
    log.add('path-invalid', `${source.label}: "${target}" is a URL; a file in the project is needed here.`, {
      line: source.line,
      hint: LINK_HINT,
    });
    return undefined;
  }
  return resolvePath(target, source, log);
}

/** A path that an action writes to: not one of the protected trees, not the root, not a folder. */
export function readWritablePath(value: string, source: ValueSource, log: IssueLog): string | undefined {
  const path = readFilePath(value, source, log);
  if (path === undefined) return undefined;
  if (isProtected(path)) {
    log.add(
      'path-protected',
      `${source.label}: ${path} lies in a protected tree; no action may write there.`,
      {
        line: source.line,
        hint: 'Choose a path outside .git, .teddy and .ultraplan.',
      },
    );
  } else if (path === '.' || /\/[)`>\s]*$/.test(value.trim().slice(-20))) {
    log.add('path-invalid', `${source.label}: "${value}" names a folder; a file is needed here.`, {
      line: source.line,
    });
    return undefined;
  }
  return path;
}

/** A Resource: a file of the project, or a URL. */
export function readResource(value: string, source: ValueSource, log: IssueLog): Resource | undefined {
  const target = readTarget(value, source, log);
  if (isUrl(target)) {
    if (URL.canParse(target)) return { kind: 'url', target };
    log.add('url-invalid', `${source.label}: "${target}" is not a valid URL.`, { line: source.line });
    return undefined;
  }
  const scheme = SCHEME.exec(target);
  if (scheme) {
    log.add('url-invalid', `${source.label}: "${target}" uses ${scheme[1]}; only http and https are read.`, {
      line: source.line,
    });
    return undefined;
  }
  const path = resolvePath(target, source, log);
  return path === undefined ? undefined : { kind: 'file', target: path };
}

/** A working directory: the format writes it plain. */
export function readFolder(value: string, source: ValueSource, log: IssueLog): string | undefined {
  const link = readLink(value);
  return resolvePath(
    link ? decoded(link.destination, link.text) : (readCodeSpan(value) ?? value),
    source,
    log,
  );
}

function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

function resolvePath(written: string, { label, line }: ValueSource, log: IssueLog): string | undefined {
  const read: PathRead = LINK_SEAM.test(written)
    ? { status: 'invalid', reason: 'is a link that is not closed' }
    : readRootPath(written);
  if (read.status === 'ok') return read.path;
  const code = read.status === 'outside' ? 'path-outside' : 'path-invalid';
  log.add(code, `${label}: the path "${written}" ${read.reason}.`, { line, hint: LINK_HINT });
  return undefined;
}

/** The path or URL that a value means, with a warning for each way in which it departs from the format. */
function readTarget(value: string, { label, line }: ValueSource, log: IssueLog): string {
  const bare = unwrapValue(value);
  const link = readLink(bare);
  if (!link || bare !== value) {
    if (link || !isUrl(bare)) {
      const hint = bare.startsWith('www.') ? 'A URL begins with http:// or https://.' : LINK_HINT;
      log.add('path-style', `${label}: "${value}" is not a link.`, { line, hint });
    }
    if (!link) return bare;
  }
  if (link.rest.includes('](')) {
    log.add('links-many', `${label}: two links; the first, ${link.destination}, stands.`, { line });
  }
  if (SCHEME.test(link.destination)) return link.destination;
  const path = decoded(link.destination, link.text);
  if (!path.startsWith('/')) {
    log.add('path-slash', `${label}: the link's destination "${path}" lacks its leading slash.`, {
      line,
      hint: LINK_HINT,
    });
  }
  const text = readCodeSpan(link.text) ?? link.text;
  if (text.replace(/^\//, '') !== path.replace(/^\//, '')) {
    log.add(
      'link-text',
      `${label}: the link says "${link.text}" and leads to "${path}"; the destination stands.`,
      { line },
    );
  }
  return path;
}

/** `%20` and the like, where the link's text shows that they are escapes and not part of the name. */
function decoded(destination: string, text: string): string {
  if (!destination.includes('%') || destination.replace(/^\//, '') === text) return destination;
  try {
    const plain = decodeURIComponent(destination);
    return plain.replace(/^\//, '') === text.replace(/^\//, '') ? plain : destination;
  } catch {
    return destination;
  }
}
