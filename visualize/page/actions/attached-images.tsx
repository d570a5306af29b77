import { useRef } from "react";
import { shortened } from "../text/printable.ts";
import { type Attachments, IMAGE_TYPES } from "./use-attachments.ts";

export interface AttachmentsProps {
  readonly attachments: Attachments;
}

/** The images that are sent with the next message, each with a button that removes it. */
export function AttachedImages({ attachments: { images, remove } }: AttachmentsProps) {
  if (images.length === 0) return null;
  return (
    <ul className="sb-attached" aria-label="Attached images">
      {images.map(({ name, url }, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an image may be attached twice
        <li key={position}>
          <img src={url} alt={shortened(name, 60)} />
          <button type="button" aria-label={`Remove ${shortened(name, 60)}`} onClick={() => remove(position)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A button that attaches image files. */
export function AttachButton({
  attachments: { add },
  isBusy,
}: AttachmentsProps & { readonly isBusy: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => input.current?.click()}>
        Image …
      </button>
      <input
        ref={input}
        type="file"
        accept={IMAGE_TYPES.join()}
        multiple
        hidden
        aria-label="Images"
        onChange={({ target }) => {
          add(target.files ?? []);
          target.value = "";
        }}
      />
    </>
  );
}
