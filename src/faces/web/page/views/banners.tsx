import { CommandLine } from '../parts/controls.js';
import { Icon } from '../parts/icons.js';
import { connection, inbox } from '../store.js';

/** What affects everything on the page. */
export function Banners() {
  return (
    <>
      {connection.value === 'lost' && (
        <div class="banner warn" role="alert">
          <Icon name="unplugged" />
          <p>
            <strong>teddy does not answer.</strong> What you see may be old. The page reconnects by itself;
            your drafts are kept.
          </p>
        </div>
      )}
      {inbox.value?.trusted === false && (
        <div class="banner warn">
          <Icon name="shield" />
          <div>
            <p>
              <strong>You have not trusted this project yet.</strong> Its config, policy or agent files can
              make teddy run commands and use the network. Review them in a terminal:
            </p>
            <CommandLine command="teddy trust" />
          </div>
        </div>
      )}
    </>
  );
}
