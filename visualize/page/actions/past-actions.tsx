import { useEffect, useState } from "react";
import type { ServedModel } from "../../../wire/http/api.ts";
import { errorText } from "../model/format.ts";
import type { TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";

export interface PastActionsProps {
  readonly canAct: boolean;
  readonly actions: TaskActions;
  /** Fork the task at the event. `profile`: the model of the fork, if it is not the model of the task. */
  readonly onFork: (profile?: string) => void;
  readonly onLive: () => void;
  readonly onError: (message: string) => void;
}

/** The actions at an event that the user chose. */
export function PastActions({ canAct, actions, onFork, onLive, onError }: PastActionsProps) {
  const models = useModels(actions, onError);
  const [profile, setProfile] = useState("");
  return (
    <section className="sb-action-bar" aria-label="Actions">
      <span className="sb-action-note">You are viewing a past event.</span>
      <span className="sb-fork">
        <button type="button" disabled={!canAct} onClick={() => onFork(profile || undefined)}>
          Fork from here
        </button>
        {models.length > 1 && (
          <select
            aria-label="Model of the fork"
            value={profile}
            onChange={({ target }) => setProfile(target.value)}
          >
            <option value="">with the same model</option>
            {models.map(({ profile: name, model }) => (
              <option key={name} value={name}>
                with {shortened(model === undefined || model === name ? name : `${name}: ${model}`, 60)}
              </option>
            ))}
          </select>
        )}
      </span>
      <button type="button" className="sb-main" onClick={onLive}>
        Go to the end
      </button>
    </section>
  );
}

const NO_MODELS: readonly ServedModel[] = [];

/** The models that a fork can have, once they are known. */
function useModels(
  { models: read }: TaskActions,
  onError: (message: string) => void,
): readonly ServedModel[] {
  const [models, setModels] = useState(NO_MODELS);
  useEffect(() => {
    let isCurrent = true;
    read?.().then(
      (known) => {
        if (isCurrent) setModels(known);
      },
      (error: unknown) => {
        if (isCurrent) onError(errorText(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [read, onError]);
  return models;
}
