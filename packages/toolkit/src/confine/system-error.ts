import { denied, failure, ToolFailure, transient, validation } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { shownPath } from "./path-text.ts";

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** What the system said of a file, in words for the model. The real path stays out of it. */
export function fileFailure(error: unknown, shown: string): ToolFailure {
  if (ToolFailure.isInstance(error)) return error;
  const path = shownPath(shown);
  switch (errorCode(error)) {
    case "ENOENT":
      return validation(`There is no ${path}.`);
    case "ENOTDIR":
      return validation(`Part of ${path} is a file, not a folder.`);
    case "EISDIR":
      return validation(`${path} is a folder.`);
    case "EEXIST":
      return validation(`${path} exists already.`);
    case "ENOTEMPTY":
      return validation(`${path} is a folder that is not empty.`);
    case "ENAMETOOLONG":
      return validation(`${path} is longer than the system takes.`);
    case "ELOOP":
      return denied(`${path} is a link where none is followed, or links in a circle.`);
    case "EXDEV":
      return validation(`${path} is on another device: write it anew there and delete it here.`);
    case "EACCES":
    case "EPERM":
      return denied(`The system does not permit this with ${path}.`);
    case "EROFS":
      return denied(`${path} is on a device that is read only.`);
    case "EMFILE":
    case "ENFILE":
    case "EBUSY":
    case "EAGAIN":
      return transient(`${path} cannot be opened at the moment: ${errorCode(error)}.`);
    case "ENOSPC":
    case "EDQUOT":
      return failure(`There is no room to write ${path}.`);
    default:
      return failure(`${path}: ${errorCode(error) ?? messageOf(error)}.`);
  }
}
