import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../lib/checks/errors.ts';
import { tooLarge } from './body-size.ts';
import type { Fields } from './fields.ts';
import type { FileRules, UploadedFile } from '../route/route.ts';
import { uploadedFile, type UploadFolder } from './uploads.ts';

/** A file name that the database accepts and a page can show: without control characters, at most 255 characters. */
const keptName = (given: string): string =>
  [...given.replace(/^.*[\\/]/s, '').replace(/[\x00-\x1f\x7f-\x9f]/g, '')].slice(0, 255).join('');

interface Part {
  about: Omit<UploadedFile, 'read' | 'refused' | 'size'>;
  limit: number;
  size: number;
  refused: UploadedFile['refused'];
  handle: FileHandle | null;
}

/** Writes those files of a multipart body that its route takes, one part after the other. */
export class FileTaker {
  readonly taken: UploadedFile[] = [];
  readonly #rules: FileRules;
  readonly #folder: UploadFolder;
  /** The fields before a part. */
  readonly #fields: Fields;
  readonly #handles: FileHandle[] = [];
  /** How many files came in parts of this name, up to two. */
  readonly #count = new Map<string, number>();
  /** Null while a part is skipped. */
  #part: Part | null = null;
  /** Gives back the place of these files. */
  #leave: (() => void) | undefined;

  constructor(rules: FileRules, folder: UploadFolder, fields: Fields) {
    this.#rules = rules;
    this.#folder = folder;
    this.#fields = fields;
  }

  begin(about: Part['about']): void {
    const limit = this.#rules.limitOf(about.field);
    this.#part = null;
    if (limit === null) return;
    if (!this.#rules.perPart && this.taken.length > 0)
      throw new AppError('validation_failed', '1 problem in the request', {
        errors: [{ path: '', code: 'too_many', message: 'must not contain more than one file' }],
      });
    this.#part = { about: { ...about, name: keptName(about.name) }, limit, size: 0, refused: null, handle: null };
  }

  async take(piece: Buffer): Promise<void> {
    const part = this.#part;
    if (!part || piece.length === 0) return;
    part.size += piece.length;
    if (part.refused) return;
    const { perPart, areUnwanted } = this.#rules;
    if (part.size > part.limit && !perPart) throw tooLarge();
    if (perPart && this.#count.has(part.about.field)) part.refused = 'too_many';
    else if (part.size > part.limit || (!part.handle && areUnwanted?.((name) => this.#fields.get(name))))
      part.refused = 'too_large';
    if (part.refused) {
      // Gives back the space of what was written.
      await part.handle?.truncate(0);
      part.handle = null;
      return;
    }
    part.handle ??= await this.#open();
    await part.handle.appendFile(piece);
  }

  end(): void {
    const part = this.#part;
    // Browsers send an empty file for a field in which no file was chosen.
    if (!part || (this.#rules.perPart && part.size === 0)) return;
    const { about, size, refused, handle } = part;
    const count = (this.#count.get(about.field) ?? 0) + 1;
    // Those after the second say nothing new.
    if (count > 2) return;
    this.#count.set(about.field, count);
    this.taken.push(uploadedFile(handle, { ...about, size, refused }));
  }

  async close(): Promise<void> {
    try {
      await Promise.all(this.#handles.map((handle) => handle.close()));
    } finally {
      this.#leave?.();
    }
  }

  async #open(): Promise<FileHandle> {
    this.#leave ??= await this.#rules.takePlace?.();
    const handle = await this.#folder.create();
    this.#handles.push(handle);
    return handle;
  }
}
