import { useState } from 'preact/hooks';
import { findLookalikes } from '../../../../../core/plan/lookalikes.js';
import type { Action } from '../../../../../core/plan/types.js';
import {
  type ActionQuestion,
  describeRecipient,
  type FileQuestion,
  type Preview,
  type ProposedText,
  proposedText,
} from '../../../../../review/question.js';
import { RISKS } from '../../../../../review/risks.js';
import type { ActionDetail, ActionView, RunView } from '../../../api.js';
import { draftOf } from '../../drafts.js';
import { editor, linkToFile } from '../../editor-link.js';
import { useKeys } from '../../keys.js';
import { Button } from '../../parts/controls.js';
import { type Fact, FactList } from '../../parts/fact-list.js';
import { Foreign, ForeignLine, PathText } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { NotLoaded } from '../../parts/page-head.js';
import { capitalize } from '../../parts/words.js';
import { useLoaded } from '../../store.js';
import type { DiffModel } from '../diff/diff-model.js';
import { useDiffModel } from '../diff/use-diff-model.js';
import { EditPanel } from '../edit/edit-panel.js';
import { isViewed, toggleViewed } from '../viewed.js';
import { ActionBody } from './action-body.js';
import { ActionDecision, RerunDecision } from './action-decision.js';
import { ActionResult } from './action-result.js';

interface ActionPanelProps {
  run: RunView;
  view: ActionView;
}

/** One action: what it would do or did, and the decision on it. */
export function ActionPanel({ run, view }: ActionPanelProps) {
  const path = `/api/runs/${encodeURIComponent(run.id)}/actions/${view.number}`;
  const { value: detail, failure } = useLoaded<ActionDetail>(path);
  useKeys({ v: () => toggleViewed(run.id, view.number) });
  if (detail === null) return <NotLoaded failure={failure} icon="question" what="This action" />;
  return <LoadedAction run={run} view={view} detail={detail} />;
}

function LoadedAction({ run, view, detail }: { run: RunView; view: ActionView; detail: ActionDetail }) {
  const { question } = detail;
  const { open } = detail;
  const draft = open === null ? undefined : draftOf(open.id);
  const [editing, setEditing] = useState(false);
  const text = question === null ? (detail.changed ?? undefined) : proposedText(question);
  const model = useDiffModel(text, question?.hash ?? `${run.id} ${view.number}`);
  const isComparing = text !== undefined && model === undefined;
  const canEdit = question?.kind === 'action' || (question !== null && question.texts.after !== null);
  const isEditing = draft !== undefined && (editing || (draft.state.value.edit?.text ?? null) !== null);
  return (
    <>
      <article class="action-panel" aria-label={`Action ${view.number}: ${view.type}`}>
        <ActionHead run={run} view={view} question={question} text={text} model={model} />
        {question !== null && <Flags question={question} />}
        {question?.kind === 'action' && <FactList facts={factsOfAction(question.action, question.preview)} />}
        {detail.action !== null && <FactList facts={factsOfAction(detail.action)} />}
        {question?.kind === 'file' && <FactList facts={factsOfFile(question)} />}
        {detail.record !== null && <ActionResult record={detail.record} />}
        {isEditing && draft.loaded.value && question !== null && open !== null ? (
          <EditPanel
            open={open}
            question={question}
            source={detail.source}
            draft={draft}
            onClose={() => setEditing(false)}
          />
        ) : (
          <ActionBody run={run.id} view={view} detail={detail} text={text} model={model} draft={draft} />
        )}
      </article>
      {open !== null && detail.rerun !== null && <RerunDecision open={open} />}
      {open !== null && detail.rerun === null && question !== null && !isEditing && !isComparing && (
        <ActionDecision
          key={open.hash}
          run={run}
          open={open}
          question={question}
          hunks={model?.hunks ?? []}
          draft={draft!}
          onEdit={canEdit ? () => setEditing(true) : undefined}
        />
      )}
    </>
  );
}

interface HeadProps {
  run: RunView;
  view: ActionView;
  question: ActionDetail['question'];
  text: ProposedText | undefined;
  model: DiffModel | undefined;
}

function ActionHead({ run, view, question, text, model }: HeadProps) {
  const viewed = isViewed(run.id, view.number);
  const isDone = view.status === 'success';
  const isThere = view.type === 'DELETE' ? !isDone : isDone || (text?.before ?? null) !== null;
  const line = (model?.hunks[0]?.before.start ?? 0) + 1;
  return (
    <header class="action-head">
      <h2>
        <span class="action-type">
          {view.number} {view.type}
        </span>{' '}
        <PathText path={view.label} />
      </h2>
      {question?.modified && <span class="chip accent">as you edited it</span>}
      {isThere && text !== undefined && (
        <a
          class="button quiet"
          href={linkToFile(run.root, isDone ? text.path : pathNow(question!, text.path), line)}
          title={`Open in ${editor.value}`}
        >
          <Icon name="external" />
          <span>Open in my editor</span>
        </a>
      )}
      <Button
        kind="quiet"
        icon="eye"
        shortcut="v"
        pressed={viewed}
        onClick={() => toggleViewed(run.id, view.number)}
      >
        {viewed ? 'Viewed' : 'Mark as viewed'}
      </Button>
    </header>
  );
}

/** A renamed file is where it was until the change has landed. */
function pathNow(question: NonNullable<ActionDetail['question']>, path: string): string {
  return question.kind === 'file' ? (question.from ?? path) : path;
}

/** Why it will fail, its risks, and what in it could pass for something else: as in the terminal. */
function Flags({ question }: { question: ActionQuestion | FileQuestion }) {
  const { risks } = question;
  const preview = question.kind === 'action' ? question.preview : undefined;
  const reasons = preview?.kind === 'will-fail' ? preview.reasons : [];
  const lookalikes = question.kind === 'action' ? findLookalikes(question.action) : [];
  if (reasons.length + risks.length + lookalikes.length === 0) return null;
  return (
    <ul class="flags" aria-label="Risks of this action">
      {reasons.map((reason) => (
        <li key={reason} class="grave">
          <Icon name="cross" />
          <span class="lines-kept">
            Will fail: <Foreign text={reason} />
          </span>
        </li>
      ))}
      {risks.map(({ kind, message }) => (
        <li key={message} class={RISKS[kind].isGrave ? 'grave' : ''}>
          <Icon name="warning" />
          <span>
            <ForeignLine text={capitalize(message)} />
          </span>
        </li>
      ))}
      {lookalikes.map((sentence) => (
        <li key={sentence} class="grave">
          <Icon name="warning" />
          <span>
            <ForeignLine text={sentence} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function factsOfAction(action: Action, preview?: Preview): Fact[] {
  const facts: Fact[] = [];
  if ('description' in action && action.description !== null) facts.push(['Why', action.description]);
  if (preview?.kind === 'write' && preview.matched !== null) facts.push(['Found', preview.matched]);
  if ('command' in action) {
    if (action.cwd !== null) facts.push(['In', action.cwd]);
    for (const [name, value] of Object.entries(action.env)) facts.push(['Env', `${name}=${value}`]);
    if (action.expectedOutcome !== null) facts.push(['Expects', action.expectedOutcome]);
  }
  if (preview?.kind === 'hands-back') facts.push(['To', describeRecipient(preview)]);
  if ('handoffResources' in action)
    for (const { target } of action.handoffResources) facts.push(['With', target]);
  return facts;
}

function factsOfFile({ from, facts, conflict }: FileQuestion): Fact[] {
  return [
    ...(from === undefined ? [] : [['From', from] as const]),
    ...facts.map((fact) => ['Change', fact] as const),
    ...(conflict === null ? [] : [['Choose', CONFLICT_CHOICES] as const]),
  ];
}

const CONFLICT_CHOICES =
  'Approve takes the version of the agent, Skip keeps the one of the project, Edit merges by hand.';
