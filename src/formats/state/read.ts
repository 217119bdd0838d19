import { readBlockers } from './blockers.js';
import { findPhaseTable, isPlaceholder } from './by-phase.js';
import type { FieldName } from './names.js';
import { readDocument, type StateDocument } from './sections.js';
import { cellText } from './table.js';
import type { StateFields } from './types.js';

/** What STATE.md says, read in the same places that `updateState` writes to. */
export function readState(text: string): StateFields {
  const document = readDocument(text);
  const said = (name: FieldName) => fieldValue(document, name);
  return {
    phase: said('phase'),
    plan: said('plan'),
    status: said('status'),
    lastActivity: said('lastActivity'),
    progress: said('progress'),
    totalPlansCompleted: said('totalPlansCompleted'),
    averageDuration: said('averageDuration'),
    totalExecutionTime: said('totalExecutionTime'),
    byPhase: readPhases(document),
    lastPlans: said('lastPlans'),
    trend: said('trend'),
    blockers: readBlockers(document),
    lastSession: said('lastSession'),
    stoppedAt: said('stoppedAt'),
  };
}

export function fieldValue({ lines, chosen }: StateDocument, name: FieldName): string | null {
  const field = chosen.get(name)?.field;
  if (!field) return null;
  return field.table ? cellText(lines.text, field.at) : lines.text.slice(field.at.from, field.at.to);
}

function readPhases(document: StateDocument): StateFields['byPhase'] {
  const { text } = document.lines;
  const found = findPhaseTable(document);
  if (!found) return [];
  const { table, columns } = found;
  return table.rows
    .filter((row) => !isPlaceholder(text, row))
    .map(({ cells }) => {
      const cellOf = (column: 'phase' | 'plans' | 'total' | 'average') =>
        cellText(text, columns.has(column) ? cells[columns.get(column)!] : undefined);
      return {
        phase: cellOf('phase'),
        plans: cellOf('plans'),
        total: cellOf('total'),
        average: cellOf('average'),
      };
    });
}
