import { Jail } from '../workspace/jail.js';

/** Where a path of a plan really leads, for a policy: links resolved, relative to the root. Never throws. */
export function resolvePathIn(root: string): (path: string) => string | undefined {
  return (path) => {
    let jail: Jail | undefined;
    try {
      jail = new Jail(root);
      const located = jail.locate(path, { purpose: 'read' });
      return located.status === 'inside' ? located.place.path : undefined;
    } catch {
      return undefined;
    } finally {
      jail?.close();
    }
  };
}
