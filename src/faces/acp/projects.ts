import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { visibleLine } from '../../core/text.js';
import { isoUtc, now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { lookAtFile } from '../../node/files.js';
import { randomId } from '../../node/ids.js';
import { listSessions } from '../../sessions/session-history.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import { findRoot } from '../../workspace/root.js';
import { Workspace } from '../../workspace/workspace.js';

// Which project a session of an editor is about. Its root is fixed for as long as the session is open.

export interface EditorProject {
  workspace: Workspace;
}

/** `root`: the only project that is served, if one is named. Throws `UserError` for any other. */
export function openProjectIn(cwd: string | null, root: string | undefined): EditorProject {
  const named = root === undefined ? undefined : findRoot('/', root);
  if (cwd === null && named !== undefined) return { workspace: new Workspace(named) };
  if (cwd === null || !isAbsolute(cwd)) throw new UserError('cwd must be an absolute path.');
  if (lookAtFile(cwd) !== 'folder') throw new UserError(`${visibleLine(cwd)} is not a folder.`);
  const found = findRoot(cwd);
  if (named !== undefined && found !== named)
    throw new UserError(`This teddy serves only ${visibleLine(named)} (--root).`);
  return { workspace: new Workspace(found) };
}

const LONGEST_CLIENT = 20;

/** `zed-20260115-k3x9`: it is on disk once it has a message. */
export function nameSession(editor: string): string {
  const client = editor
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_CLIENT)
    .replace(/^-|-$/g, '');
  const day = isoUtc(now()).slice(0, 10).replaceAll('-', '');
  return `${client === '' ? 'editor' : client}-${day}-${randomId(6)}`;
}

export function hasSession({ workspace }: EditorProject, name: string): boolean {
  return new Sessions(workspace).names().includes(name);
}

export async function listSessionsOf({ workspace }: EditorProject) {
  const list = await listSessions(workspace);
  return list.map(({ name, title, lastAt }) => ({
    session: name,
    cwd: workspace.root,
    title: title === null ? null : visibleLine(title),
    updatedAt: lastAt,
  }));
}

/** How a prompt names what the user has attached: the path of a file, or the address itself. */
export function nameResource(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    const { hash } = new URL(uri);
    return `${fileURLToPath(uri)}${decodeURIComponent(hash)}`;
  } catch {
    return uri;
  }
}
