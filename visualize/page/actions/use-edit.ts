import { useState } from "react";
import type { z } from "zod";
import type { OpenAskInfo, proposalSchema } from "../../../wire/http/api.ts";
import type { TaskActions } from "../source.ts";

export type Proposal = z.output<typeof proposalSchema>;

/** The changed proposal, in the form of an amendment. */
export type Draft =
  | { readonly content: string }
  | { readonly todos: string }
  | { readonly files: Readonly<Record<string, boolean>> };

/** A proposal that is edited. */
export interface Edit {
  readonly proposal: Proposal;
  readonly draft: Draft;
}

/** The edit of the open ask's proposal. It stays while the ask is open, also when the person goes back to the proposal. */
export interface EditState {
  /** Undefined while none is shown. */
  readonly edit: Edit | undefined;
  /** Show the edit. The proposal is read first. */
  open(): Promise<void>;
  change(draft: Draft): void;
  close(): void;
}

interface KeptEdit extends Edit {
  readonly askId: number;
  readonly isShown: boolean;
}

export function useEdit(taskId: string, ask: OpenAskInfo | undefined, actions: TaskActions): EditState {
  const [last, setLast] = useState<KeptEdit>();
  const kept = last !== undefined && last.askId === ask?.askId ? last : undefined;
  return {
    edit: kept?.isShown === true ? kept : undefined,
    async open() {
      if (ask === undefined) return;
      const { askId } = ask;
      const proposal = kept?.proposal ?? (await actions.proposal(taskId, askId));
      setLast({ askId, proposal, draft: kept?.draft ?? draftOf(proposal), isShown: true });
    },
    change: (draft) => kept && setLast({ ...kept, draft }),
    close: () => kept && setLast({ ...kept, isShown: false }),
  };
}

function draftOf(proposal: Proposal): Draft {
  switch (proposal.kind) {
    case "file":
      return { content: proposal.after };
    case "todos":
      return { todos: proposal.after };
    case "files":
      return { files: Object.fromEntries(proposal.paths.map((path) => [path, true])) };
  }
}
