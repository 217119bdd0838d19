import { chooseEditor, EDITORS, type EditorName, editor } from '../editor-link.js';
import { BOX_KEYS, SHORTCUTS } from '../keys.js';
import { Dialog } from '../parts/controls.js';

const LABELS: Readonly<Record<string, string>> = { Escape: 'Esc' };

export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {[...SHORTCUTS, ...BOX_KEYS].map(({ keys, does }) => (
          <div key={keys[0]}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{LABELS[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="setting">
        Open files in
        <select
          value={editor.value}
          onChange={(event) => chooseEditor(event.currentTarget.value as EditorName)}
        >
          {Object.keys(EDITORS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </Dialog>
  );
}
