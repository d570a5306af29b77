import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE } from "../../store/files/data-folder.ts";
import { formatError } from "../../tools/error.ts";
import { characterBoundaryAfter, characterBoundaryBefore } from "../../tools/text.ts";

export interface OutputBufferOptions {
  /** Bytes in memory: half of them for the head, half for the tail. */
  readonly maxBytes: number;
  /** File for the full output if it is longer. Default: none. */
  readonly file: string | undefined;
  /** Bytes of that file. */
  readonly maxFileBytes: number;
}

/** The output of a command: head and tail in memory, and all of it in a file if it is longer. */
export interface OutputBuffer {
  add(chunk: Uint8Array): void;
  /** Closes the file, and returns the output. */
  end(): { readonly output: string; readonly fullOutputPath?: string };
}

/** The file is written synchronously, so that a fast writer is slowed down and does not fill the memory. */
export function createOutputBuffer({ maxBytes, file, maxFileBytes }: OutputBufferOptions): OutputBuffer {
  const headMax = Math.ceil(maxBytes / 2);
  const tailMax = Math.floor(maxBytes / 2);
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let headSize = 0;
  let tailSize = 0;
  let total = 0;
  let opened: OutputFile | undefined;
  return {
    add(chunk) {
      if (opened === undefined && file !== undefined && total + chunk.length > maxBytes) {
        opened = openOutputFile(file, maxFileBytes);
        for (const part of [...head, ...tail]) opened.write(part);
      }
      opened?.write(chunk);
      total += chunk.length;
      const headPart = chunk.subarray(0, headMax - headSize);
      if (headPart.length > 0) head.push(headPart);
      headSize += headPart.length;
      if (headPart.length === chunk.length) return;
      tail.push(chunk.subarray(headPart.length));
      tailSize += chunk.length - headPart.length;
      for (let first = tail[0]; first && tailSize - first.length >= tailMax; first = tail[0]) {
        tail.shift();
        tailSize -= first.length;
      }
    },
    end() {
      const { kept, note } = opened?.end() ?? {};
      const text = join(Buffer.concat(head), Buffer.concat(tail), total, tailMax);
      const output = note === undefined ? text : `${text}\n[${note}]`;
      return { output, ...(kept !== undefined && { fullOutputPath: kept }) };
    },
  };
}

function join(head: Buffer, tail: Buffer, total: number, tailMax: number): string {
  if (total === head.length + Math.min(tail.length, tailMax)) return Buffer.concat([head, tail]).toString();
  const end = characterBoundaryBefore(head, head.length);
  const start = characterBoundaryAfter(tail, tail.length - tailMax);
  const cut = total - end - (tail.length - start);
  return `${head.toString("utf8", 0, end)}\n[... ${cut} bytes cut ...]\n${tail.toString("utf8", start)}`;
}

interface OutputFile {
  write(chunk: Uint8Array): void;
  end(): { readonly kept?: string; readonly note?: string | undefined };
}

function openOutputFile(file: string, maxBytes: number): OutputFile {
  let descriptor: number | undefined;
  let note: string | undefined;
  let size = 0;
  const tryTo = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      note = `The output file could not be written: ${formatError(error)}`;
    }
  };
  tryTo(() => {
    mkdirSync(path.dirname(file), { recursive: true });
    descriptor = openSync(file, "wx", PRIVATE_FILE);
  });
  return {
    write(chunk) {
      const open = descriptor;
      if (open === undefined || note !== undefined) return;
      const part = chunk.subarray(0, maxBytes - size);
      tryTo(() => {
        for (let done = 0; done < part.length; ) done += writeSync(open, part, done);
      });
      size += part.length;
      if (part.length < chunk.length) note = `The output file ends at ${maxBytes} bytes`;
    },
    end() {
      const open = descriptor;
      if (open !== undefined) tryTo(() => closeSync(open));
      return open === undefined ? { note } : { kept: file, note };
    },
  };
}
