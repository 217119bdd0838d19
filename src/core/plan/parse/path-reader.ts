import {
  readCodeSpan,
  readLink,
  splitRemark,
  undecorate,
  unwrapValue,
  writePathLink,
} from '../../markdown/inline.js';
import { isProtected, type PlaceFacts, readRootPath, resolvePlace } from '../../path.js';
import type { Tree } from '../../tree.js';
import type { PlanIssueLog } from '../issues.js';
import type { Resource } from '../types.js';

/** Where a value comes from, for the messages about it. */
export interface ValueSource {
  label: string;
  line: number;
}

/** A path or URL as written, without its decoration. */
interface Target {
  text: string;
  /** The text of a link proves that the path starts at the root. */
  rootRelative: boolean;
  /** How the format writes paths here. */
  form: 'link' | 'plain';
}

/** What is left of a link that could not be read; brackets alone may be part of a name. */
const LINK_SEAM = /\]\(|^\[[^\]/]*\/[^\]]*\]$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]{1,20}):\/\//;
const LINK_HINT = 'Write it as a link from the project root: [src/app.ts](/src/app.ts).';
const PLAIN_HINT = 'Write paths from the project root, without a leading slash: src/app.ts.';

/**
 * Reads every path of one plan, in the plan's order: File Path, Resource, cwd and context lines mean the same place
 * for the same text. What cannot be a path is an issue in the log, and undefined.
 */
export class PathReader {
  private readonly facts: PlaceFacts;
  /** Paths created by earlier actions, including folders. */
  private readonly created = new Set<string>();
  private executed = false;

  /** Without a tree, nothing is known of the project and of the machine around it. */
  constructor(
    private readonly log: PlanIssueLog,
    private readonly tree?: Tree,
  ) {
    this.facts = {
      machine: tree?.machine,
      has: (path) => this.created.has(path) || tree?.stat(path) !== undefined,
    };
  }

  /** Marks a file as existing from here on. */
  noteCreated(path: string): void {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      this.created.add(path.slice(0, end));
    }
  }

  /** Marks the tree as unknown: a command ran. */
  noteExecuted(): void {
    this.executed = true;
  }

  /** A path that an action writes to: not one of the protected trees, not the root, not a folder. */
  writable(value: string, source: ValueSource, isNew: boolean): string | undefined {
    const { label, line } = source;
    const target = this.target(value, source, isNew);
    if (!target) return undefined;
    if (isUrl(target.text)) {
      const message = `${label}: "${target.text}" is a URL; a file in the project is needed here.`;
      this.log.add('path-invalid', message, { line, hint: LINK_HINT });
      return undefined;
    }
    const path = this.resolve(target, source);
    if (path === undefined) return undefined;
    if (isProtected(path)) {
      this.log.add(
        'path-protected',
        `${label}: ${path} is in a protected folder; no action may write there.`,
        {
          line,
          hint: 'Choose a path outside .git, .teddy and .ultraplan.',
        },
      );
    } else if (path === '.' || /[\\/]$/.test(target.text)) {
      this.log.add('path-invalid', `${label}: "${value}" names a folder; a file is needed here.`, { line });
      return undefined;
    }
    return path;
  }

  /** A Resource: a file of the project, or a URL. */
  resource(value: string, source: ValueSource): Resource | undefined {
    const { label, line } = source;
    const target = this.target(value, source);
    if (!target) return undefined;
    const { text } = target;
    if (isUrl(text)) {
      if (URL.canParse(text)) return { kind: 'url', target: text };
      this.log.add('url-invalid', `${label}: "${text}" is not a valid URL.`, { line });
      return undefined;
    }
    const scheme = SCHEME.exec(text)?.[1];
    if (scheme !== undefined && scheme.toLowerCase() !== 'file') {
      this.log.add('url-invalid', `${label}: "${text}" uses ${scheme}; only http and https are read.`, {
        line,
      });
      return undefined;
    }
    const path = this.resolve(target, source);
    return path === undefined ? undefined : { kind: 'file', target: path };
  }

  /** A working directory or a line of the context: the format writes them plain. */
  plain(value: string, source: ValueSource): string | undefined {
    const target = this.target(value, source, false, 'plain');
    return target && (isUrl(target.text) ? target.text : this.resolve(target, source));
  }

  private resolve({ text, rootRelative, form }: Target, { label, line }: ValueSource): string | undefined {
    const hint = form === 'link' ? LINK_HINT : PLAIN_HINT;
    const place = LINK_SEAM.test(text)
      ? ({ status: 'refused', code: 'path-invalid', reason: 'is a link that is not closed' } as const)
      : resolvePlace(text, rootRelative, this.facts);
    const write = (path: string) => (form === 'link' ? writePathLink(path) : path);
    if (place.status === 'refused') {
      const meant =
        'meant' in place && place.meant !== undefined
          ? ` For ${place.meant} in the project, write ${write(place.meant)}.`
          : '';
      this.log.add(place.code, `${label}: the path "${text}" ${place.reason}.`, { line, hint: hint + meant });
      return undefined;
    }
    for (const { code, message, meant } of place.notes) {
      const better = `For ${meant} in the project, write ${write(meant)}.`;
      this.log.add(code, `${label}: the path "${text}" ${message}.`, { line, hint: better });
    }
    return place.path;
  }

  /** What a value means, with a warning for each way in which it departs from the format. */
  private target(
    value: string,
    source: ValueSource,
    isNew = false,
    form: Target['form'] = 'link',
  ): Target | undefined {
    const plain = undecorate(value);
    const bare = plain !== value && this.isThere(value) ? value : plain;
    const link = readLink(bare);
    if (bare !== (form === 'link' ? unwrapValue(value) : (readCodeSpan(value) ?? value))) {
      this.warn('path-decorated', `the marks around "${bare}" are ignored`, source, form);
    }
    const isStyled = link ? bare === value : isUrl(bare);
    if (form === 'link' && !isStyled) {
      const hint = bare.startsWith('www.') ? 'A URL starts with http:// or https://.' : LINK_HINT;
      this.log.add('path-style', `${source.label}: "${value}" is not a link.`, { line: source.line, hint });
    }
    if (!link)
      return this.hasRemark(bare, source, isNew) ? undefined : { text: bare, rootRelative: false, form };
    return this.linkTarget(link, source, isNew, form);
  }

  private linkTarget(
    { text: shown, destination, rest }: NonNullable<ReturnType<typeof readLink>>,
    source: ValueSource,
    isNew: boolean,
    form: Target['form'],
  ): Target | undefined {
    const { label, line } = source;
    const second = form === 'link' ? readLink(rest.slice(rest.indexOf('[')))?.destination : undefined;
    if (second !== undefined && !SCHEME.test(second) && bareOf(second) !== bareOf(destination)) {
      const message = `${label}: two paths, "${destination}" and "${second}"; an action has one.`;
      this.log.add('path-invalid', message, { line, hint: 'Write an action for each of them.' });
      return undefined;
    }
    if (rest.includes('](')) {
      this.log.add('links-many', `${label}: two links; the first one, ${destination}, counts.`, { line });
    } else if (rest !== '') {
      this.warn('path-decorated', `the text "${rest}" after the link is ignored`, source, form);
    }
    const text = shown === destination.replace(/^\//, '') ? shown : undecorate(shown);
    const path = undecorate(decoded(destination, text));
    if (SCHEME.test(path)) return { text: path, rootRelative: false, form };
    if (form === 'plain') return { text: path, rootRelative: isSamePath(text, path), form };
    if (!path.startsWith('/')) {
      const message = `${label}: the link's destination "${path}" has no leading slash.`;
      this.log.add('path-slash', message, { line, hint: LINK_HINT });
    }
    if (text.replace(/^\//, '') !== path.replace(/^\//, '')) {
      if (splitRemark(path)?.intended.replace(/^\//, '') === text.replace(/^\//, '')) {
        if (this.hasRemark(path, source, isNew)) return undefined;
      }
      // `[a.py](/home/me/proj/a.py)` names one file of the project twice.
      const isNamed = this.facts.machine?.insideRoot(path) === text;
      const message = `${label}: the link says "${shown}" but leads to "${path}"; the destination counts.`;
      if (!isNamed) this.log.add('link-text', message, { line });
    }
    return { text: path, rootRelative: isSamePath(text, path), form };
  }

  /** Whether words after a path make it one that is not there. Without a tree that cannot be known. */
  private hasRemark(text: string, { label, line }: ValueSource, isNew: boolean): boolean {
    const split = splitRemark(text);
    if (!split || !this.tree || this.isThere(text)) return false;
    const message = `${label}: "${split.remark}" after ${split.intended} is a remark; no file has this whole name.`;
    const whole = text.replace(/^\/+/, '');
    const hint = isUrl(text)
      ? `Write only ${split.intended}.`
      : `Write only the path, ${split.intended}. For a file whose name is "${whole}", write ${writePathLink(whole)}.`;
    const issue = this.log.add('path-remark', message, { line, hint });
    // A command may have made such a file; an action that makes a new one cannot rely on that.
    if (!this.executed || isNew) return true;
    issue.severity = 'warning';
    return false;
  }

  /** Whether the project has a file of exactly this name. */
  private isThere(text: string): boolean {
    const read = readRootPath(text);
    return read.status === 'ok' && read.path !== '.' && this.facts.has(read.path);
  }

  private warn(
    code: 'path-decorated',
    message: string,
    { label, line }: ValueSource,
    form: Target['form'],
  ): void {
    this.log.add(code, `${label}: ${message}.`, { line, hint: form === 'link' ? LINK_HINT : PLAIN_HINT });
  }
}

function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

/** Whether a link's text is its destination without the leading slash. */
function bareOf(path: string): string {
  return path.replace(/^\//, '');
}

function isSamePath(text: string, path: string): boolean {
  if (text.startsWith('/') || !path.startsWith('/')) return false;
  const [shown, target] = [readRootPath(text), readRootPath(path)];
  return shown.status === 'ok' && target.status === 'ok' && shown.path === target.path;
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
