import { createContext, type DragEvent, type ReactNode, useContext, useState } from "react";
import { errorText } from "../model/format.ts";
import type { PageSource } from "../source.ts";
import { fileContent } from "../sources/file-content.ts";
import { openFiles } from "../sources/open-files.ts";
import { useOpened } from "./use-opened.ts";

interface FileOpener {
  /** Show the tasks of these files in place of the source. */
  readonly open: (files: readonly File[]) => void;
  /** Show the source again. Absent: it is shown. */
  readonly close?: () => void;
  /** The reason why the last files were not opened. */
  readonly error: string;
}

const Opener = createContext<FileOpener | undefined>(undefined);

export interface OpenedFilesProps {
  readonly source: PageSource;
  /** Whether the debugger is the whole page: Back closes the files. */
  readonly isPage: boolean;
  /** Called with the shown source: the given one, or the opened files. `key` changes with it. */
  readonly show: (shown: {
    readonly source: PageSource;
    readonly key: number;
    readonly isFile: boolean;
  }) => ReactNode;
}

/** The source, or the files that the user opened or dropped in its place. The files are read here and sent nowhere. */
export function OpenedFiles({ source, isPage, show }: OpenedFilesProps) {
  const { opened, open: openSource, close } = useOpened(isPage);
  const [error, setError] = useState("");
  const open = (files: readonly File[]): void => {
    readSource(files).then(
      (read) => {
        setError("");
        openSource(read);
      },
      (failure: unknown) => setError(errorText(failure)),
    );
  };
  const opener: FileOpener = { open, error, ...(opened !== undefined && { close }) };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) opener.open([...event.dataTransfer.files]);
  };
  return (
    <Opener value={opener}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button opens files as well */}
      <div
        className="sb-drop"
        // The style of the debugger begins below this element.
        style={{ height: "100%", minHeight: 0 }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      >
        {show({
          source: opened?.source ?? source,
          key: opened === undefined ? 0 : opened.key + 1,
          isFile: opened !== undefined,
        })}
      </div>
    </Opener>
  );
}

async function readSource(files: readonly File[]): Promise<PageSource> {
  const read = files.map(async (file) => ({
    name: file.webkitRelativePath || file.name,
    content: await fileContent(file),
  }));
  return openFiles(await Promise.all(read));
}

/** Opens files in place of the source, and closes them again. */
export function OpenFiles() {
  const opener = useContext(Opener);
  if (opener === undefined) return null;
  return (
    <p className="sb-open-files">
      <label className="sb-file-button">
        <span>
          Open a file<span className="sb-mouse-only">, or drop it here</span>
        </span>
        <input
          type="file"
          multiple
          aria-label="Open a file"
          onChange={({ target }) => opener.open([...(target.files ?? [])])}
        />
      </label>
      {opener.close !== undefined && (
        <button type="button" onClick={opener.close}>
          Close the file
        </button>
      )}
      {opener.error !== "" && (
        <span role="alert" className="sb-error-text">
          {opener.error}
        </span>
      )}
    </p>
  );
}
