import { useRef, useState } from 'preact/hooks';
import type { FileQuestion } from '../../../../review/question.js';
import { proposedText } from '../../../../review/question.js';
import { RISKS } from '../../../../review/risks.js';
import type { ChangesView, QuestionRef } from '../../api.js';
import { useAnswer } from '../answers.js';
import { send } from '../client.js';
import { moveFocus, useKeys } from '../keys.js';
import { Button, CommandLine, EmptyState } from '../parts/controls.js';
import { Foreign, ForeignLine, PathText } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { NotLoaded, PageHead } from '../parts/page-head.js';
import { capitalize } from '../parts/words.js';
import { DiffView } from '../review/diff/diff-view.js';
import { useDiffModel } from '../review/diff/use-diff-model.js';
import { goTo, linkTo, replaceRoute } from '../route.js';
import { inbox, useLoaded } from '../store.js';
import { StatusChip } from './agent-work.js';

/** What an agent changed, without deciding, and the start of its review. */
export function ChangesPage({ id }: { id: string }) {
  const { value, failure } = useLoaded<ChangesView>(`/api/changes/${encodeURIComponent(id)}`);
  const list = useRef<HTMLUListElement>(null);
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) });
  if (failure?.status === 404)
    return (
      <EmptyState icon="check" title="This work is not there any more">
        <p>
          It was landed or dropped. <a href={linkTo('inbox')}>Back to the inbox</a>
        </p>
      </EmptyState>
    );
  if (value === null) return <NotLoaded failure={failure} icon="agent" what="This work" />;
  return (
    <div class="column wide">
      <PageHead parent="inbox" title={<Foreign text={value.title} />}>
        <p class="muted work-facts">
          <StatusChip work={value} />
          <span class="mono">{value.id}</span>
          <code>
            <ForeignLine text={value.command} />
          </code>
        </p>
      </PageHead>
      <div class="next-step">
        <NextStep work={value} />
      </div>
      {value.notes.length > 0 && (
        <ul class="plan-issues" aria-label="Notes on the changes">
          {value.notes.map((note) => (
            <li key={note}>
              <Foreign text={note} />
            </li>
          ))}
        </ul>
      )}
      <ul class="changed-files" aria-label="Files" ref={list}>
        {value.files.map((file) => (
          <li key={file.path}>
            <ChangedFile file={file} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function NextStep({ work }: { work: ChangesView }) {
  if (work.run !== null)
    return (
      <p>
        <a href={linkTo('runs', work.run)}>Open its review</a>
      </p>
    );
  if (work.status === 'running') return <p>The agent is still working in its copy of the project.</p>;
  if (work.status === 'in-review') return <p>It is being reviewed in another process.</p>;
  const question = inbox.value?.questions.find((one) => one.kind === 'changes' && one.work === work.id);
  return (
    <>
      {work.problem !== null && (
        <p>
          <Foreign text={work.problem} />
        </p>
      )}
      {work.status === 'interrupted' && <p>teddy was ended while the agent worked. What it left is kept.</p>}
      {question !== undefined && <StartReview question={question} work={work.id} />}
      {work.reviewed && (
        <>
          <p>You have decided on these changes. To decide again, review them in a terminal:</p>
          <CommandLine command={`teddy changes review ${work.id}`} />
        </>
      )}
    </>
  );
}

/** The review runs in the server, and continues on the page of its run. */
function StartReview({ question, work }: { question: QuestionRef; work: string }) {
  const { sending, isNew, answer } = useAnswer(question);
  const start = async () => {
    if (!(await answer({ decision: 'approve' }))) return;
    const path = `/api/changes/${encodeURIComponent(work)}`;
    const started = await send<ChangesView>('GET', path).catch(() => null);
    if (started === null || started.run === null) goTo('inbox');
    else replaceRoute('runs', started.run);
  };
  useKeys({ a: () => void start() });
  return (
    <div class="start-review" aria-busy={isNew}>
      <p>Nothing is in your project yet. You decide file by file; what you keep lands together at the end.</p>
      <Button kind="primary" icon="check" shortcut="a" disabled={sending} onClick={() => void start()}>
        {sending ? 'Starting…' : 'Review'}
      </Button>
    </div>
  );
}

function ChangedFile({ file }: { file: FileQuestion }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="changed-file" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="action-type">{file.type}</span> <PathText path={file.path} />
        {file.risks.map(({ kind, message }) => (
          <span key={message} class={`rest-note ${RISKS[kind].isGrave ? 'grave' : ''}`}>
            <Icon name="warning" />
            <ForeignLine text={capitalize(message)} />
          </span>
        ))}
      </summary>
      {open && <FileChange file={file} />}
    </details>
  );
}

function FileChange({ file }: { file: FileQuestion }) {
  const text = proposedText(file);
  const model = useDiffModel(text, file.hash);
  const facts = [...(file.from === undefined ? [] : [`from ${file.from}`]), ...file.facts];
  return (
    <>
      {facts.map((fact) => (
        <p key={fact} class="muted">
          <Foreign text={fact} />
        </p>
      ))}
      {text !== undefined && model === undefined && <p role="status">Comparing the texts…</p>}
      {text !== undefined && model !== undefined && (
        <DiffView path={text.path} isNew={text.before === null} model={model} />
      )}
    </>
  );
}
