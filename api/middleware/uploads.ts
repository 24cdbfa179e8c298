import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A file of a multipart request. It is there until the request ends. */
export interface UploadedFile {
  field: string;
  name: string;
  size: number;
  mimeType: string | null;
  /** Its bytes, from the first, or those up to `end` (exclusive). */
  read(end?: number): Readable;
}

const READ_BYTES = 512 * 1024;

/** Where uploads go that are on their way. */
export interface UploadFolder {
  /** A file without a name, which nobody else can open and which is gone when it is closed, or when the process ends however it ends. */
  create(): Promise<FileHandle>;
}

/** The folder that UPLOAD_DIR names, or one of this user's own among the system's temporary files. */
const pathOf = (setting: string): string => setting || join(tmpdir(), `perennial-uploads-${userInfo().uid}`);

/**
 * Makes the folder where it is missing, readable by us alone. Throws where it is somebody else's, or others may look into it.
 * A file there has a name for the moment between its making and its unlinking; whoever is killed in it leaves the name, which
 * is swept here. To sweep that of a process that lives does no harm: it has the file open.
 */
export function openUploadFolder(setting: string): UploadFolder {
  const path = pathOf(setting);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(path);
  const isOurs = lstatSync(path).isDirectory() && (process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0));
  if (!isOurs) throw new Error(`Uploads need a folder that belongs to the user of this process and that nobody else may open (mode 0700): ${path} is none. Set UPLOAD_DIR to another`);
  for (const name of readdirSync(path).filter((entry) => entry.endsWith('.upload'))) {
    try {
      unlinkSync(join(path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return {
    async create() {
      const file = join(path, `${randomUUID()}.upload`);
      const handle = await open(file, 'wx+', 0o600);
      // Another process may have swept it.
      await unlink(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      return handle;
    },
  };
}

/** A file that was written to this handle, as the request's handler sees it. */
export function uploadedFile(handle: FileHandle, about: Omit<UploadedFile, 'read'>): UploadedFile {
  return {
    ...about,
    read: (end) => handle.createReadStream({ start: 0, ...(end === undefined ? {} : { end: end - 1 }), autoClose: false, highWaterMark: READ_BYTES }),
  };
}
