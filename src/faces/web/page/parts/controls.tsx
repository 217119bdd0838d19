import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.js';

interface ButtonProps {
  children: ComponentChildren;
  icon?: IconName;
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  /** The key that does the same. */
  shortcut?: string;
  title?: string;
  disabled?: boolean;
  pressed?: boolean;
  onClick(): void;
}

export function Button({
  children,
  icon,
  kind = 'plain',
  shortcut,
  title,
  disabled,
  pressed,
  onClick,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      {...(title === undefined ? {} : { title })}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...(shortcut === undefined ? {} : { 'aria-keyshortcuts': shortcut })}
      disabled={disabled ?? false}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut && (
        <span aria-hidden="true" class="key-hint">
          {shortcut}
        </span>
      )}
    </button>
  );
}

interface SegmentsProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few choices. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

/** Copies text that the user can then paste elsewhere. */
export function CopyButton({
  text,
  children,
  kind = 'plain',
}: {
  text: string;
  children: string;
  kind?: 'plain' | 'primary' | 'quiet';
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <Button icon={copied ? 'check' : 'copy'} kind={kind} onClick={() => void copy()}>
      {copied ? 'Copied' : children}
    </Button>
  );
}

/** A command to paste into a terminal. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div class="command-line">
      <code>{command}</code>
      <CopyButton text={command} kind="quiet">
        Copy
      </CopyButton>
    </div>
  );
}

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose(): void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Before anything is painted: while the dialog is shown, no key is a shortcut.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => {
      isGone.current = true;
      // Gives the focus back.
      shown.close();
    };
  }, []);
  // The browser reports later that it was closed: a key pressed before that would meet a dialog that is still open.
  const closeAtOnce = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onKeyDown={closeAtOnce}
      onClose={() => {
        if (!isGone.current) onClose();
      }}
    >
      <header class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** A place with nothing in it, and what to do. */
export function EmptyState({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <div class="empty-icon">
        <Icon name={icon} />
      </div>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export type ChipTone = 'good' | 'bad' | 'warn' | 'accent' | 'neutral';

export function Chip({
  tone,
  icon,
  children,
}: {
  tone: ChipTone;
  icon?: IconName;
  children: ComponentChildren;
}) {
  return (
    <span class={`chip ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}

/** Lines added and removed, aligned. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      <span class="count-added">+{added.toLocaleString('en')}</span>{' '}
      <span class="count-removed">−{removed.toLocaleString('en')}</span>
    </span>
  );
}

export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
