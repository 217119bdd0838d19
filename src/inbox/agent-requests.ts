import { isoUtcMs, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { newRunId, sha256 } from '../node/ids.js';
import type { Lock } from '../workspace/lock.js';
import type { RootMark } from '../workspace/runs/run-folder.js';
import { REQUEST_FILE, REQUESTS, RUN_ID } from '../workspace/runs/runs.js';
import type { SealedFiles } from '../workspace/runs/sealed-files.js';
import type { Workspace } from '../workspace/workspace.js';

// What agents ask of the user through a protocol, as sealed files: a request is on disk before its id is returned, and
// stays open until the user has decided. The same key asked twice is one request.

export type AgentRequest = RequestFacts & { id: string; at: string; key: string; project: RootMark };

/** `client` is the agent's own name for itself. */
export type RequestFacts = { client: string } & (
  | { kind: 'plan'; title: string; text: string }
  | {
      kind: 'result';
      /** The task file, from the root. */
      plan: string;
      task: string;
      name: string;
      /** What verifies it; null where nothing can. */
      command: string | null;
      text: string;
      /** The identity that the agent gave it. */
      resultKey: string | null;
    }
  | { kind: 'question'; question: string; options: string[] }
);

type RequestKind = RequestFacts['kind'];

/** Ended requests beyond these are forgotten, the oldest first. */
const ENDED_KEPT = 500;
/** More than a user can be asked for, and few enough to be read at every look. */
const MOST_OPEN = 200;

/**
 * The request of that kind and key: the one that exists, otherwise a new one, which is on disk when this returns. Throws
 * `UserError` where too many are open.
 */
export function keepRequest(workspace: Workspace, key: string, facts: RequestFacts): AgentRequest {
  const hash = hashKey(facts.kind, key);
  return workspace.inRequests(
    (files) => {
      const known = findByKey(files, hash, workspace.mark);
      if (known === undefined) requireRoom(files);
      return known ?? addRequest(workspace, files, hash, facts);
    },
    { make: true },
  )!;
}

function requireRoom(files: SealedFiles): void {
  const open = idsOf(files).filter((id) => !files.has(endFile(id))).length;
  if (open >= MOST_OPEN)
    throw new UserError(
      `${open} requests are waiting for the user already. Ask them to answer some first: teddy inbox`,
    );
}

/** A request counts once its key leads to it: a process that dies in between, or comes second, leaves none. */
function addRequest(
  workspace: Workspace,
  files: SealedFiles,
  key: string,
  facts: RequestFacts,
): AgentRequest {
  for (;;) {
    const id = newRunId(now(), workspace.takenIds());
    const request = { ...facts, id, at: isoUtcMs(now()), key, project: workspace.mark };
    if (!files.add(fileOf(id), request, { sync: true })) continue;
    if (files.add(keyFile(key), { id }, { sync: true })) {
      forgetOldest(files);
      files.clearParts();
      return request;
    }
    const first = findByKey(files, key, workspace.mark);
    if (first === undefined) files.replace(keyFile(key), { id });
    else files.remove(fileOf(id));
    return first ?? request;
  }
}

/** Undefined where there is none under that key. */
export function findRequest<K extends RequestKind>(
  workspace: Workspace,
  kind: K,
  key: string,
): Extract<AgentRequest, { kind: K }> | undefined {
  const found = workspace.inRequests((files) => findByKey(files, hashKey(kind, key), workspace.mark));
  return found as Extract<AgentRequest, { kind: K }> | undefined;
}

function hashKey(kind: RequestKind, key: string): string {
  return sha256(`${kind}\n${key}`).slice(0, 32);
}

function findByKey(files: SealedFiles, key: string, here: RootMark): AgentRequest | undefined {
  const id = idUnder(files, key);
  return id === undefined ? undefined : readFrom(files, id, here);
}

function idUnder(files: SealedFiles, key: string): string | undefined {
  return (files.read(keyFile(key)) as { id: string } | undefined)?.id;
}

/** The next request under its key is another one; this one keeps its id and its end. */
export function releaseKey(workspace: Workspace, { key }: AgentRequest): void {
  workspace.inRequests((files) => {
    if (files.has(keyFile(key))) files.remove(keyFile(key));
  });
}

export function readRequest(workspace: Workspace, id: string): AgentRequest | undefined {
  if (!RUN_ID.test(id)) return undefined;
  return workspace.inRequests((files) => readFrom(files, id, workspace.mark));
}

/** Those that wait for the user, the oldest first. */
export function listOpenRequests(workspace: Workspace): AgentRequest[] {
  return (
    workspace.inRequests((files) =>
      idsOf(files)
        .filter((id) => !files.has(endFile(id)))
        .flatMap((id) => readFrom(files, id, workspace.mark) ?? [])
        .filter(({ id, key }) => idUnder(files, key) === id),
    ) ?? []
  );
}

/** Records how a request ended. False where it had ended already. */
export function endRequest(workspace: Workspace, id: string, end: object): boolean {
  return workspace.inRequests((files) => files.add(endFile(id), end, { sync: true })) ?? false;
}

/** Undefined while the request is open. */
export function readEnd<T extends object>(workspace: Workspace, id: string): T | undefined {
  return workspace.inRequests((files) => files.read(endFile(id)) as T | undefined);
}

/** Notes a fact about a request, the newest in place of the one before. */
export function noteOn(workspace: Workspace, id: string, name: 'run' | 'delivered', value: object): void {
  workspace.inRequests((files) => files.replace(`${id}.${name}.json`, value));
}

export function readNote<T extends object>(
  workspace: Workspace,
  id: string,
  name: 'run' | 'delivered',
): T | undefined {
  return workspace.inRequests((files) => files.read(`${id}.${name}.json`) as T | undefined);
}

/** One face at a time works on a request. Throws `UserError` while another one does. */
export function holdRequest(workspace: Workspace, id: string): Lock {
  const lock = workspace.hold(lockPath(id));
  if (lock) return lock;
  throw new UserError('This is being answered in another terminal or on the page.');
}

export function isRequestHeld(workspace: Workspace, id: string): boolean {
  return workspace.isHeld(lockPath(id));
}

/** The user has approved that this command verifies results here, in exactly these words. */
export function approveCommand(workspace: Workspace, command: string): void {
  workspace.inRequests(
    (files) => files.replace(approvalFile(command), { command, project: workspace.mark }),
    {
      make: true,
    },
  );
}

export function isCommandApproved(workspace: Workspace, command: string): boolean {
  const approval = workspace.inRequests((files) => files.read(approvalFile(command))) as
    | { command: string; project: RootMark }
    | undefined;
  return approval?.command === command && isHere(approval.project, workspace.mark);
}

function approvalFile(command: string): string {
  return `command-${sha256(command)}.json`;
}

function lockPath(id: string): string {
  return `.teddy/${REQUESTS}/${id}.lock`;
}

function fileOf(id: string): string {
  return `${id}.json`;
}

function endFile(id: string): string {
  return `${id}.end.json`;
}

function keyFile(hash: string): string {
  return `key-${hash}.json`;
}

function idsOf(files: SealedFiles): string[] {
  return files
    .names()
    .flatMap((name) => REQUEST_FILE.exec(name)?.[1] ?? [])
    .sort();
}

/** Undefined also where the file was copied from another project. */
function readFrom(files: SealedFiles, id: string, here: RootMark): AgentRequest | undefined {
  const request = files.read(fileOf(id)) as AgentRequest | undefined;
  return request && isHere(request.project, here) ? request : undefined;
}

function isHere({ root, folder }: RootMark, here: RootMark): boolean {
  return root === here.root || folder === here.folder;
}

function forgetOldest(files: SealedFiles): void {
  const ended = idsOf(files).filter((id) => files.has(endFile(id)));
  for (const id of ended.slice(0, -ENDED_KEPT)) {
    const { key } = (files.read(fileOf(id)) ?? {}) as Partial<AgentRequest>;
    if (key !== undefined && idUnder(files, key) === id) files.remove(keyFile(key));
    for (const name of files.names()) if (name.startsWith(`${id}.`)) files.remove(name);
  }
}
