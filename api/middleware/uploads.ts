import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { EnvError } from '../../config/env.ts';
import type { UploadedFile } from '../route/route.ts';

const READ_BYTES = 512 * 1024;

/** The folder for uploads in progress. */
export interface UploadFolder {
  /**
   * Creates a file without a name, which nobody else can open and which disappears when it is closed or the process
   * ends.
   */
  create: () => Promise<FileHandle>;
}

/** The folder in UPLOAD_DIR, or one for this user in the system's temporary folder. */
const pathOf = (setting: string): string => setting || join(tmpdir(), `perennial-uploads-${userInfo().uid}`);

/**
 * Creates the folder if it is missing, readable only by this user. Throws EnvError if it cannot be used, is owned by
 * another user, or is readable by others. A file in it has a name only for the moment between its creation and its
 * unlinking; names left behind by a killed process are removed here. Removing that of a running process does no harm,
 * because the file is open.
 */
export function openUploadFolder(setting: string): UploadFolder {
  const path = pathOf(setting);
  try {
    makeFolder(path);
    if (!isOurs(path))
      throw new EnvError(
        `UPLOAD_DIR must be a directory that belongs to the user of this process and is closed to others (mode 0700); ${path} is not`,
      );
    accessSync(path, constants.W_OK | constants.X_OK);
    removeLeftovers(path);
  } catch (error) {
    if (error instanceof EnvError) throw error;
    throw new EnvError(
      `UPLOAD_DIR must be a directory that this process can create and write to; ${path} is not (${(error as NodeJS.ErrnoException).code})`,
      { cause: error },
    );
  }
  return {
    async create() {
      const file = join(path, `${randomUUID()}.upload`);
      const handle = await open(file, 'wx+', 0o600);
      // Another process may have removed it.
      await unlink(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      return handle;
    },
  };
}

/** Like `mkdir -p`. Node's own never returns if a parent exists that cannot contain folders, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process has created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isOurs(path: string): boolean {
  const status = lstatSync(path);
  return (
    status.isDirectory() &&
    (process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o077) === 0))
  );
}

function removeLeftovers(path: string): void {
  for (const name of readdirSync(path).filter((entry) => entry.endsWith('.upload'))) {
    try {
      unlinkSync(join(path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** The upload that was written to this handle, for the request's handler; without a handle it is empty. */
export function uploadedFile(handle: FileHandle | null, about: Omit<UploadedFile, 'read'>): UploadedFile {
  return {
    ...about,
    read: (end) =>
      handle?.createReadStream({
        start: 0,
        ...(end === undefined ? {} : { end: end - 1 }),
        autoClose: false,
        highWaterMark: READ_BYTES,
      }) ?? Readable.from([]),
  };
}
