import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { EnvError } from '../../config/env.ts';
import type { UploadedFile } from '../route/route.ts';

const READ_BYTES = 512 * 1024;

/** Where uploads go that are on their way. */
export interface UploadFolder {
  /** A file without a name, which nobody else can open and which is gone when it is closed, or when the process ends however it ends. */
  create: () => Promise<FileHandle>;
}

/** The folder that UPLOAD_DIR names, or one of this user's own among the system's temporary files. */
const pathOf = (setting: string): string => setting || join(tmpdir(), `perennial-uploads-${userInfo().uid}`);

/**
 * Makes the folder where it is missing, readable by us alone. Throws EnvError where it can not be used, is somebody else's,
 * or others may look into it.
 * A file there has a name for the moment between its making and its unlinking; whoever is killed in it leaves the name, which
 * is removed here. To remove that of a process that lives does no harm: it has the file open.
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

/** As `mkdir -p`. Node's own never ends where a parent is there that can hold no folder, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
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

/** A file that was written to this handle, as the request's handler sees it. */
export function uploadedFile(handle: FileHandle, about: Omit<UploadedFile, 'read'>): UploadedFile {
  return {
    ...about,
    read: (end) =>
      handle.createReadStream({
        start: 0,
        ...(end === undefined ? {} : { end: end - 1 }),
        autoClose: false,
        highWaterMark: READ_BYTES,
      }),
  };
}
