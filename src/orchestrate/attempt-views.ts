import { decodeText, MB } from '../node/files.js';
import { findAttemptFiles } from './attempt-records.js';
import type { AttemptViews, Orchestration } from './orchestration.js';
import { outputFile } from './state-files.js';

const MOST_OUTPUT = MB / 4;
const MOST_PATCH = 2 * MB;

export function viewAttempts({ options, running, journal, mask }: Orchestration): AttemptViews {
  const { workspace } = options;
  const numberOf = (task: string) => running.get(task)?.number ?? journal.of(task).ended.at(-1)?.attempt;
  return {
    output(task) {
      const number = numberOf(task);
      if (number === undefined) return 'No attempt has started yet.\n';
      const path = outputFile(task, number);
      const end = workspace.view((view) => view.readEnd(path, MOST_OUTPUT));
      if (end.status !== 'bytes') return 'No output yet.\n';
      const text = new TextDecoder().decode(end.bytes);
      return end.size > end.bytes.length
        ? `… the first ${end.size - end.bytes.length} bytes are in ${path}\n${text}`
        : text;
    },
    async diff(task) {
      const place = running.get(task)?.attempt?.place;
      if (place) return mask(await place.diff()) || 'No changes yet.\n';
      const number = numberOf(task);
      const { patches } = number === undefined ? { patches: [] } : findAttemptFiles(workspace, task, number);
      const last = patches.at(-1);
      if (last === undefined) return 'No changes are saved: they have landed, or there are none.\n';
      const read = workspace.view((view) => view.read(last, MOST_PATCH));
      const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
      return text.status === 'text' ? mask(text.text) : `${last} cannot be shown here.\n`;
    },
  };
}
