import { useEffect, useRef, useState } from "react";
import { plural } from "../../../present/plural.ts";
import type { OneFilePage } from "../../share/one-file-page.ts";
import type { Counterexample } from "../../trace/counterexample.ts";
import { eventsOf } from "../../trace/events-of.ts";
import { loadPart } from "../load-part.ts";
import { errorText } from "../model/format.ts";
import type { LoadedSubtasks } from "../model/growing-subtasks.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";

/** The task that is shown. */
interface SharedTask {
  readonly trace: TraceSnapshot;
  readonly subtasks: LoadedSubtasks;
  /** Undefined: the id is its title. */
  readonly title: string | undefined;
  /** The event that the file opens at. */
  readonly at: number;
  readonly counterexample: Counterexample | undefined;
}

/** Whether the page is one file already: there is nothing beside it to make another from. */
const isOneFile = (): boolean => globalThis.signalboxMarkdown !== undefined;

/** Opens the dialog that shares the task, if one is shown. */
export function ShareButton({
  trace,
  ...task
}: Omit<SharedTask, "trace"> & { readonly trace: TraceSnapshot | undefined }) {
  // The task as it is when the dialog opens.
  const [shared, setShared] = useState<SharedTask | undefined>();
  if (trace === undefined || isOneFile()) return null;
  return (
    <>
      <button type="button" onClick={() => setShared({ trace, ...task })}>
        Share …
      </button>
      {shared !== undefined && <Share task={shared} onClose={() => setShared(undefined)} />}
    </>
  );
}

/** Makes a file with the page and the task, and offers it. */
function Share({ task, onClose }: { readonly task: SharedTask; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const [masksSecrets, setMasks] = useState(true);
  const made = useMadeFile(task, masksSecrets);
  return (
    <dialog ref={dialog} className="sb-help sb-share-dialog" aria-label="Share the task" onClose={onClose}>
      <header>
        <h2>Share the task</h2>
        <form method="dialog">
          <button type="submit" className="sb-quiet" aria-label="Close">
            ✕
          </button>
        </form>
      </header>
      <p>
        One HTML file with this page and all events of the task and of its loaded subtasks. It opens without a
        network.
      </p>
      <fieldset>
        <legend className="sb-visually-hidden">Secrets</legend>
        <label>
          <input type="radio" name="secrets" checked={masksSecrets} onChange={() => setMasks(true)} />
          Masked: keys, tokens and passwords that their form or name shows
        </label>
        <label>
          <input type="radio" name="secrets" checked={!masksSecrets} onChange={() => setMasks(false)} />
          Full: everything as it is
        </label>
      </fieldset>
      <p role="status">{statusOf(made, masksSecrets)}</p>
      {typeof made === "object" && (
        <a className="sb-main sb-download" href={made.url} download={`${task.trace.taskId}.html`}>
          Download
        </a>
      )}
    </dialog>
  );
}

function statusOf(made: MadeFile | string | undefined, masksSecrets: boolean): string {
  if (made === undefined) return "Making the file …";
  if (typeof made === "string") return made;
  if (!masksSecrets) return "Nothing is masked.";
  return `${plural(made.maskedPlaces, "place")} masked. Other secrets are not known: look before you share.`;
}

interface MadeFile {
  readonly url: string;
  readonly maskedPlaces: number;
}

/** The file, or why it can't be made. Undefined while it is made. */
function useMadeFile(task: SharedTask, masksSecrets: boolean): MadeFile | string | undefined {
  const [made, setMade] = useState<MadeFile | string | undefined>();
  useEffect(() => {
    let url: string | undefined;
    let isMounted = true;
    const offer = ({ html, maskedPlaces }: OneFilePage): void => {
      if (!isMounted) return;
      url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
      setMade({ url, maskedPlaces });
    };
    pageOf(task, masksSecrets).then(
      offer,
      (error: unknown) => isMounted && setMade(`The file can't be made: ${errorText(error)}`),
    );
    return () => {
      isMounted = false;
      setMade(undefined);
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [task, masksSecrets]);
  return made;
}

async function pageOf(
  { trace, subtasks, title = trace.taskId, at, counterexample }: SharedTask,
  masksSecrets: boolean,
) {
  const { sharedPage } = await loadPart(() => import("../share-page.ts"));
  const events = [trace, ...subtasks.traces.values()].flatMap(eventsOf);
  return sharedPage(events, {
    title,
    masksSecrets,
    ...(at < trace.length - 1 && { at }),
    ...(counterexample !== undefined && { counterexample }),
  });
}
