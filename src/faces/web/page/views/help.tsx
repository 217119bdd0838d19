import { chooseEditor, EDITORS, type EditorName, editor } from '../editor-link.js';
import { Dialog } from '../parts/controls.js';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['j k', 'next and previous action, or line of a list'],
  ['n p', 'next and previous change in the diff'],
  ['a', 'approve'],
  ['s', 'skip: type a reason, then Enter'],
  ['e', 'edit the result or the action'],
  ['c', 'comment on the current change'],
  ['x', 'keep or drop the current change'],
  ['r', 'rationale of the plan'],
  ['v', 'mark the action as viewed'],
  ['d', 'unified or side by side'],
  ['w', 'changes only, or the whole file'],
  ['/', 'search in the diff'],
  ['Esc', 'leave a text box'],
  ['?', 'this help'],
];

export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
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
