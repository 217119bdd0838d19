import type { View } from '../workspace/view.js';
import type { Resolution } from './metrics/records.js';
import { type CaptureProject, logFiles } from './project.js';

const LIMIT = 64 * 1024 * 1024;

/** What a task is after a person's word. */
export const STATUS_AFTER = { retry: 'pending', fix: 'pending', skip: 'skipped', abort: 'failed' } as const;

/** What people decided, in order. Lines that are not ours are passed over: no result is lost over them. */
export function readResolutions(view: View, project: CaptureProject): Resolution[] {
  const read = view.read(logFiles.resolutions(project), LIMIT);
  if (read.status !== 'bytes') return [];
  return new TextDecoder()
    .decode(read.bytes)
    .split('\n')
    .flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): Resolution | undefined {
  if (!line.includes('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isResolution(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isResolution(value: unknown): value is Resolution {
  if (typeof value !== 'object' || value === null) return false;
  const { at, task_id, task_name, decision, instruction, results } = value as Record<string, unknown>;
  const isText = (each: unknown) => typeof each === 'string';
  return (
    isText(at) &&
    isText(task_id) &&
    isText(decision) &&
    Object.hasOwn(STATUS_AFTER, decision as string) &&
    (task_name === undefined || isText(task_name)) &&
    (instruction === undefined || isText(instruction)) &&
    (results === undefined || Number.isFinite(results))
  );
}
