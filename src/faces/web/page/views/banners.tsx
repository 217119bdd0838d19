import { dismissLeftover, leftovers, unsavedReason } from '../drafts.js';
import { Button, CommandLine, CopyButton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
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
            <strong>teddy does not answer.</strong> What you see may be old. The page reconnects by itself,
            and your drafts are kept. If you stopped teddy, run <code>teddy web</code> and open its new link.
          </p>
        </div>
      )}
      {unsavedReason.value !== null && connection.value === 'open' && (
        <div class="banner warn" role="alert">
          <Icon name="warning" />
          <p>
            <strong>What you typed is not saved yet.</strong> <Foreign text={unsavedReason.value} />
          </p>
        </div>
      )}
      {leftovers.value.map((leftover) => (
        <div key={leftover.question} class="banner warn" role="alert">
          <Icon name="comment" />
          <div>
            <p>
              <strong>This question was closed before you answered it here.</strong> Your text:
            </p>
            <pre class="leftover">
              <Foreign text={leftover.text} />
            </pre>
            <CopyButton text={leftover.text}>Copy</CopyButton>{' '}
            <Button kind="quiet" onClick={() => dismissLeftover(leftover)}>
              Dismiss
            </Button>
          </div>
        </div>
      ))}
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
