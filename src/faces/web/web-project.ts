import type { Config } from '../../config/types.js';
import type { InboxProject } from '../../inbox/inbox.js';
import type { Workspace } from '../../workspace/workspace.js';

export interface WebProject {
  workspace: Workspace;
  /** Whether this user has seen the project's own config, policy and agent files. */
  isTrusted(): Promise<boolean>;
  /** The config as it is now; undefined where it cannot be read. */
  readConfig(): Promise<Config | undefined>;
  /** Throws `UserError` where the user has not trusted it. */
  requireTrusted: InboxProject['requireTrusted'];
}
