import type { Action, Resource } from './types.js';

/** The files and pages that an action names. */
export function resourcesOf(action: Action): readonly Resource[] {
  if ('path' in action) return [{ kind: 'file', target: action.path }];
  if ('resource' in action) return [action.resource];
  return 'handoffResources' in action ? action.handoffResources : [];
}

/** The words that decide where an action acts, and what it runs. */
export function decisiveTexts(action: Action): string[] {
  return [
    ...('agent' in action ? [action.agent] : []),
    ...resourcesOf(action).map(({ target }) => target),
    ...('command' in action ? [action.command, action.cwd ?? '', ...Object.entries(action.env).flat()] : []),
  ];
}

/** What would be written into a file. */
export function writtenTexts(action: Action): string[] {
  if ('content' in action) return [action.content];
  return 'edits' in action ? action.edits.map(({ replace }) => replace) : [];
}
