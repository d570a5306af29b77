import { printable, shortened } from "../text/printable.ts";
import type { Draft, Edit } from "./use-edit.ts";

export interface ProposalEditorProps {
  readonly edit: Edit;
  /** The label of a yes to the call. */
  readonly yes: string;
  readonly isBusy: boolean;
  readonly onChange: (draft: Draft) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** The proposal of a call as a person edits it: the new content of a file, a todo list, or the files that are read. */
export function ProposalEditor({ edit, yes, isBusy, onChange, onSave, onClose }: ProposalEditorProps) {
  const { draft, proposal } = edit;
  const name = proposal.kind === "file" ? `New content of ${shortened(proposal.path)}` : NAMES[proposal.kind];
  return (
    <form
      className="sb-action-bar sb-actions"
      aria-label="Edit the proposal"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <span className="sb-action-note">{name}</span>
      <DraftField draft={draft} name={name} onChange={onChange} />
      <div className="sb-action-buttons">
        <button type="submit" className="sb-main" disabled={isBusy}>
          {yes} as edited
        </button>
        <button type="button" onClick={onClose}>
          Back
        </button>
      </div>
    </form>
  );
}

const NAMES = { todos: "The todo list", files: "The files that are read" } as const;

interface DraftFieldProps {
  readonly draft: Draft;
  readonly name: string;
  readonly onChange: (draft: Draft) => void;
}

function DraftField({ draft, name, onChange }: DraftFieldProps) {
  if ("files" in draft)
    return (
      <div className="sb-asked">
        <fieldset aria-label={name}>
          {Object.entries(draft.files).map(([path, isRead]) => (
            <label key={path}>
              <input
                type="checkbox"
                checked={isRead}
                onChange={({ target }) => onChange({ files: { ...draft.files, [path]: target.checked } })}
              />
              <code>{shortened(path)}</code>
            </label>
          ))}
        </fieldset>
      </div>
    );
  const text = "content" in draft ? draft.content : draft.todos;
  return (
    <>
      <textarea
        className="sb-mono"
        aria-label={name}
        value={text}
        spellCheck={false}
        onChange={({ target: { value } }) =>
          onChange("content" in draft ? { content: value } : { todos: value })
        }
      />
      {printable(text) !== text.replaceAll("\r\n", "\n") && (
        <p role="alert" className="sb-action-reason">
          The text has invisible characters. They are saved with it.
        </p>
      )}
    </>
  );
}
