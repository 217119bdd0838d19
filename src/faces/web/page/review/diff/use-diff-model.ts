import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ProposedText } from '../../../../../review/question.js';
import { type DiffModel, modelDiff } from './diff-model.js';

/** Texts larger than this are compared after the page has been drawn. */
const AT_ONCE = 300_000;

/** The change to a text; undefined while it is being compared, and where there is none. */
export function useDiffModel(
  write: ProposedText | undefined,
  hash: string | undefined,
): DiffModel | undefined {
  const isLarge = write !== undefined && (write.before?.length ?? 0) + write.after.length > AT_ONCE;
  const atOnce = useMemo(() => (write === undefined || isLarge ? undefined : modelDiff(write)), [hash]);
  const [later, setLater] = useState<{ hash: string | undefined; model: DiffModel }>();
  useEffect(() => {
    if (!isLarge) return;
    const timer = setTimeout(() => setLater({ hash, model: modelDiff(write) }), 20);
    return () => clearTimeout(timer);
  }, [hash]);
  return isLarge ? (later?.hash === hash ? later?.model : undefined) : atOnce;
}
