import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { errorText } from "../model/format.ts";

/** The formats that a task takes. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
/** Images of one message. */
const IMAGES_MAX = 20;
/** Characters of one image's data URL, and of all in one request. A server takes no larger ones by default. */
const IMAGE_MAX_CHARS = 14_000_000;
const ALL_MAX_CHARS = 30_000_000;

/** An image that is sent with the next message. */
export interface AttachedImage {
  readonly name: string;
  /** A data URL. */
  readonly url: string;
}

/** The images of the message that a person writes. */
export interface Attachments {
  readonly images: readonly AttachedImage[];
  /** Add image files. A file of another format is refused with a message. */
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (position: number) => void;
  readonly clear: () => void;
  /** The handlers of the form that takes pasted and dropped images. */
  readonly form: {
    readonly onPaste: (event: ClipboardEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
  };
}

/** `onError` is called with the reason why a file is not attached. */
export function useAttachments(onError: (message: string) => void): Attachments {
  const [images, setImages] = useState<readonly AttachedImage[]>([]);
  // Files are read one after another, and an image may be removed in between.
  const latest = useRef(images);
  const set = (next: readonly AttachedImage[]): void => {
    latest.current = next;
    setImages(next);
  };
  const add = (files: Iterable<File>): void => {
    Promise.all(Array.from(files, readImage)).then(
      (read) => {
        const all = [...latest.current, ...read];
        const fault = faultOf(all);
        if (fault === undefined) set(all);
        else onError(fault);
      },
      (error: unknown) => onError(errorText(error)),
    );
  };
  const take = (event: ClipboardEvent | DragEvent, { files }: DataTransfer): void => {
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  return {
    images,
    add,
    remove: (position) => set(images.filter((_, index) => index !== position)),
    clear: () => set([]),
    form: {
      onPaste: (event) => take(event, event.clipboardData),
      onDrop: (event) => take(event, event.dataTransfer),
      onDragOver: (event) => event.preventDefault(),
    },
  };
}

async function readImage(file: File): Promise<AttachedImage> {
  if (!IMAGE_TYPES.some((type) => type === file.type))
    throw new Error(`${file.name} is not attached: expected a PNG, JPEG, GIF or WebP image.`);
  return { name: file.name, url: await dataUrlOf(file) };
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} can't be read. Attach it again.`));
    reader.readAsDataURL(file);
  });

/** Undefined where a request may have these images. */
function faultOf(images: readonly AttachedImage[]): string | undefined {
  if (images.length > IMAGES_MAX) return `Expected at most ${IMAGES_MAX} images, got ${images.length}.`;
  const large = images.find(({ url }) => url.length > IMAGE_MAX_CHARS);
  if (large !== undefined) return `${large.name} is too large: expected at most 10 MB. Attach a smaller one.`;
  const all = images.reduce((sum, { url }) => sum + url.length, 0);
  return all > ALL_MAX_CHARS
    ? "The images have more than 22 MB together. Attach fewer or smaller ones."
    : undefined;
}
