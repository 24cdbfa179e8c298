// Made from openapi.json by `npm run clients`: do not change it here.
export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of all components */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area auth */
        get: operations["getAuthHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area contacts */
        get: operations["getContactsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area emails */
        get: operations["getEmailsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area campaigns */
        get: operations["getCampaignsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area forms */
        get: operations["getFormsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area scoring */
        get: operations["getScoringHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the area analytics */
        get: operations["getAnalyticsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This API as OpenAPI 3.1 */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events as AsyncAPI 3 */
        get: operations["getAsyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register a user */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for new tokens
         * @description A refresh token counts once. One that comes a second time ends its session.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log out: the session's tokens are dead at once */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller */
        get: operations["getProfile"];
        /**
         * Change the caller's profile
         * @description A new email needs `currentPassword`. A username that is the email changes with it.
         */
        put: operations["updateProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the caller's password; other sessions end */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a mail to set a new password
         * @description The answer is the same, and takes the same time, whether anybody has the address or not. At most five mails an hour go to a user.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by the token of a mail
         * @description A token counts once, for an hour. Every session of the user ends.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an address by the token of a mail
         * @description A token counts once, for 24 hours.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/verify-email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for another mail to confirm an address
         * @description The answer is the same, and takes the same time, whether anybody has the address or not. At most five mails an hour go to a user.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a secret for an authenticator app
         * @description It counts once `POST /auth/totp/confirm` has had a code of it; one that was not confirmed is replaced.
         */
        post: operations["startTotp"];
        /** Turn TOTP off, by a code or the password */
        delete: operations["removeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn TOTP on with a first code */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user */
        get: operations["getUser"];
        /**
         * Enable or disable a user, or change its roles
         * @description Nobody gives or takes permissions that they do not have, disables or demotes themselves, or leaves the tenant without an Admin.
         */
        put: operations["updateUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/users/{id}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Turn a user's TOTP off
         * @description For a user whose authenticator is lost. It ends the user's sessions; logging in then takes the password alone.
         */
        delete: operations["removeUserTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who did what */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List roles */
        get: operations["listRoles"];
        put?: never;
        /** Create a role */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a role */
        get: operations["getRole"];
        /** Change a role for everyone who has it */
        put: operations["updateRole"];
        post?: never;
        /** Delete a role that nobody has */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every permission that a role can have */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invitations */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite somebody by mail
         * @description The link in the mail counts once, for 7 days. Inviting an address again makes the earlier link worthless. Invitations of an address are few, whichever tenants invite it: five at once, then one every twelve minutes.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an invitation */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /** Revoke an invitation */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Become a user by the token of an invitation */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; its text is shown once
         * @description Send the key as a Bearer token. It may do what both it and its creator may, as long as the creator is active.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an API key, without its text */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /** Delete an API key: it is dead at once */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List contacts */
        get: operations["listContacts"];
        put?: never;
        /** Create a contact */
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search contacts by name, address or company
         * @description Best first: what is the whole name or address, then what begins with the text, then what holds it, then whose company does. A text that more than 10,000 fit is not ranked.
         */
        get: operations["searchContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contact */
        get: operations["getContact"];
        /** Change a contact */
        put: operations["updateContact"];
        post?: never;
        /** Delete a contact */
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to a contact */
        get: operations["listContactActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or change up to 1,000 contacts by their addresses
         * @description Rows are taken in their order, as single writes would be: of two rows with one address the second changes what the first has made, so the later one wins. A row that is refused says why and leaves the others alone; the answer is 200 whatever became of them. All rows together tell of at most 10,000 errors, each of an equal share: ten, where there are a thousand rows.
         */
        post: operations["batchContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List companies */
        get: operations["listCompanies"];
        put?: never;
        /** Create a company */
        post: operations["createCompany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/companies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a company */
        get: operations["getCompany"];
        /** Change a company */
        put: operations["updateCompany"];
        post?: never;
        /** Delete a company; its contacts stay */
        delete: operations["deleteCompany"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/companies/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contacts of a company */
        get: operations["listCompanyContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the definitions of custom fields */
        get: operations["listCustomFields"];
        put?: never;
        /** Define a custom field of contacts or companies */
        post: operations["createCustomField"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/custom-fields/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the definition of a custom field */
        get: operations["getCustomField"];
        /**
         * Change the definition of a custom field
         * @description Entity, name and type stay. A value whose option is taken away stays until it is changed.
         */
        put: operations["updateCustomField"];
        post?: never;
        /**
         * Delete a custom field with its values
         * @description Answers when no contact has a value of it any more: with a million values after a minute or so. They go page by page; should it be cut short, making a field of the same name removes the rest first.
         */
        delete: operations["deleteCustomField"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a person's data everywhere
         * @description Everything that is held on the contact goes, events in the stream and histories too; figures stay. A hash of the address stays, by which imports reject it. While it is at work, asking again answers the same erasure.
         */
        post: operations["eraseContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/data-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything held on a person
         * @description For a request of access (Article 15 GDPR): all by kinds, oldest first. That it was read is in the audit log.
         */
        get: operations["exportContactData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List erasures */
        get: operations["listErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an erasure, with its certificate when it is done */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download contacts as CSV, JSON, NDJSON or XLSX
         * @description In the order of ids, read page by page as it is sent. Headers and keys are API field names; in csv and xlsx the company is its name, tags have semicolons between them, custom fields are columns `customFields.x`, and a text that begins with = + - @, a tab or a carriage return (a phone number too) has an apostrophe before it, so that no spreadsheet runs it; an import takes it away again. xlsx holds up to 200,000 contacts.
         */
        get: operations["exportContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import contacts from a CSV file */
        post: operations["importContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List imports */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an import and its progress */
        get: operations["getImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rejected rows as CSV */
        get: operations["getImportErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an import; what is done stays */
        post: operations["cancelImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo an import: remove what it created and restore what it changed, unless changed since */
        post: operations["undoImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/imports/{id}/kept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contacts that undoing an import left as they are */
        get: operations["listImportKept"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge another contact into this one
         * @description This one keeps its id, address and own values, and takes the others where it has none, the stricter status, all tags and custom fields, and what hangs on the source: activities, scores, lists, emails, submissions, executions. The source is deleted. Where both are in one campaign, the source's execution is stopped (`merged`).
         */
        post: operations["mergeContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List segments and lists */
        get: operations["listSegments"];
        put?: never;
        /** Create a segment by a filter, or a static list */
        post: operations["createSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List static lists */
        get: operations["listLists"];
        put?: never;
        /** Create a static list */
        post: operations["createList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Who a filter fits */
        post: operations["previewSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a segment or list */
        get: operations["getSegment"];
        /** Change a segment or list */
        put: operations["updateSegment"];
        post?: never;
        /** Delete a segment or list; its contacts stay */
        delete: operations["deleteSegment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contacts in a segment or list */
        get: operations["listSegmentContacts"];
        put?: never;
        /** Add contacts to a static list */
        post: operations["addSegmentContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/{id}/contacts/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove contacts from a static list */
        post: operations["removeSegmentContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/{id}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Judge every contact anew by a segment or list */
        post: operations["rebuildSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a list or segment */
        get: operations["getList"];
        /** Change a list or segment */
        put: operations["updateList"];
        post?: never;
        /** Delete a list or segment; its contacts stay */
        delete: operations["deleteList"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contacts in a list or segment */
        get: operations["listListContacts"];
        put?: never;
        /** Add contacts to a static list */
        post: operations["addListContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists/{id}/contacts/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove contacts from a static list */
        post: operations["removeListContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists/{id}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Judge every contact anew by a list or segment */
        post: operations["rebuildList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the segments and lists that a contact is in; with explain=true every dynamic segment, and why */
        get: operations["listContactSegments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one email to a contact or an address
         * @description Refused by a gate (unsubscribed, suppressed) it is SUPPRESSED at once. With an Idempotency-Key the same call is the same email.
         */
        post: operations["sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List emails */
        get: operations["listEmails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an email */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why an email was sent, or was not */
        get: operations["explainEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/{id}/emails/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why a contact got mail of a campaign, or did not */
        get: operations["explainContactEmails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say what became of an email that is UNKNOWN */
        post: operations["resolveEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List email campaigns */
        get: operations["listEmailCampaigns"];
        put?: never;
        /**
         * Create an email campaign, and send it when a schedule says so
         * @description Without `scheduleType` it is a DRAFT until it is sent. `immediate` begins at once. Its audience is whoever is in the segment when sending begins; each gets it once.
         */
        post: operations["createEmailCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an email campaign */
        get: operations["getEmailCampaign"];
        /**
         * Change an email campaign
         * @description While it is sent or paused the name and the rate; once it has ended, the name.
         */
        put: operations["updateEmailCampaign"];
        post?: never;
        /**
         * Delete an email campaign
         * @description Its emails stay.
         */
        delete: operations["deleteEmailCampaign"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a DRAFT
         * @description By its schedule; at once where it has none. One that is on its way stays so.
         */
        post: operations["sendEmailCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an email campaign
         * @description What is not on a connection to a provider at this moment waits until it is resumed; one that is SCHEDULED does not begin.
         */
        post: operations["pauseEmailCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a paused email campaign
         * @description With whoever has not had it. One that has not begun is SCHEDULED again: a recurring one for its next time, any other begins at once when its time is past.
         */
        post: operations["resumeEmailCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an email campaign
         * @description Nothing more goes out: what is still queued becomes SUPPRESSED.
         */
        post: operations["cancelEmailCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of an email campaign
         * @description Hits of scanners are not counted.
         */
        get: operations["getEmailCampaignStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/campaigns/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who gets an email campaign, and what became of it */
        get: operations["listEmailCampaignRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rules for all marketing mail */
        get: operations["getEmailSettings"];
        /**
         * Change the rules for all marketing mail
         * @description Beyond `frequencyCap` mail to a contact is SUPPRESSED. Outside of `sendWindow` it waits.
         */
        put: operations["updateEmailSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List suppressed addresses */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress an address
         * @description By `manual` where no reason is given. The contact that has the address takes the status (manual: unsubscribed). One that is suppressed already is answered with 200, and keeps its reason unless this one is stricter.
         */
        post: operations["createSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a suppression */
        get: operations["getSuppression"];
        put?: never;
        post?: never;
        /**
         * Let mail to an address again
         * @description Its contact becomes active unless it is archived or pending. Written in the audit log.
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List email templates */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create an email template
         * @description Content that begins with `<mjml>` is MJML, compiled when it is saved. A syntax error, an unknown tag or filter, or a mistake in the MJML is refused with its line. `fromEmail` is the default sender, or an address that was verified as a sender.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an email template */
        get: operations["getTemplate"];
        /** Change an email template */
        put: operations["updateTemplate"];
        post?: never;
        /** Delete an email template */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show a template as a contact would get it */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/templates/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a template to an address, to look at it */
        post: operations["testTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List topics */
        get: operations["listTopics"];
        put?: never;
        /**
         * Create a topic
         * @description Templates name it as their `topicId`; recipients choose on the preference page which topics they want mail about. Until they choose, they want all.
         */
        post: operations["createTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/topics/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a topic */
        get: operations["getTopic"];
        /** Change a topic */
        put: operations["updateTopic"];
        post?: never;
        /**
         * Delete a topic
         * @description Who did not want it is forgotten with it. A template that is about it keeps it.
         */
        delete: operations["deleteTopic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/tracking/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Opens and clicks of an email
         * @description Automated hits are among the events and kept out of the figures.
         */
        get: operations["getTracking"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sender identities */
        get: operations["listSenders"];
        put?: never;
        /**
         * Create a sender identity
         * @description With `dkim`, mail from its address is signed at once; publish the record it answers, and have it verified. A signature whose record is not there counts as none. A link is mailed to the address: mail may be from it once that was confirmed, or the record of its domain was verified.
         */
        post: operations["createSender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/senders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a sender identity */
        get: operations["getSender"];
        /** Change a sender identity */
        put: operations["updateSender"];
        post?: never;
        /** Delete a sender identity */
        delete: operations["deleteSender"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/senders/{id}/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the link that confirms a sender's address once more
         * @description Only the link of the latest mail works: once, for 24 hours.
         */
        post: operations["requestSenderConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/senders/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look a sender's DKIM record up in the DNS
         * @description Once it is there its domain is the tenant's, and any address of it, or below it, may be sent from. The record of a key that was brought along must name the tenant, as `dnsValue` does.
         */
        post: operations["verifySender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The mail providers and how they do */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/webhooks/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a mail provider tells of deliveries, bounces and complaints
         * @description For `ses` (by Amazon SNS), `sendgrid`, `mailgun` and `postmark`, each where its setting is given; signed as each of them does. Events of other types, and of mail that is not ours, are ignored.
         */
        post: operations["receiveWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List campaigns */
        get: operations["listCampaigns"];
        put?: never;
        /** Create a campaign */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a campaign */
        get: operations["getCampaign"];
        /**
         * Change a campaign
         * @description Of a campaign that is ACTIVE it edits the next version, which `start` publishes.
         */
        put: operations["updateCampaign"];
        post?: never;
        /** Delete a campaign with its executions */
        delete: operations["deleteCampaign"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a campaign, make it ACTIVE and enrol contacts
         * @description Enrols those who are named as the entry rules allow, so starting again enrols no one twice.
         */
        post: operations["startCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a campaign and every execution of it */
        post: operations["stopCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let no step run until the campaign is resumed */
        post: operations["pauseCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on with a paused campaign */
        post: operations["resumeCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of a campaign
         * @description `emails` counts all mail that names the campaign, as `GET /emails?campaignId=` lists it and the analytics count it: what its steps sent, and what was sent by `POST /emails/send` with its id. `steps` are of executions alone.
         */
        get: operations["getCampaignStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the executions of a campaign */
        get: operations["listCampaignExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/contacts/{contactId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why a contact is in a campaign or not */
        get: operations["explainCampaignContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/enrolments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Progress of an enrolment */
        get: operations["getCampaignEnrolment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an execution with the steps it has done */
        get: operations["getCampaignExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/executions/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop one execution */
        post: operations["stopCampaignExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/executions/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take up an execution that failed */
        post: operations["retryCampaignExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List forms */
        get: operations["listForms"];
        put?: never;
        /** Create a form */
        post: operations["createForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a form */
        get: operations["getForm"];
        /** Change a form */
        put: operations["updateForm"];
        post?: never;
        /** Delete a form with its submissions */
        delete: operations["deleteForm"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/embed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Code that puts the form in a page */
        get: operations["getFormEmbed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Views, submissions and conversion rate */
        get: operations["getFormStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/submissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List submissions */
        get: operations["listFormSubmissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the script renders; counts a view */
        get: operations["getFormFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A signed token that a browser submits with */
        get: operations["getFormToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a form
         * @description With double opt-in, of the form or of its list, a new contact is `pending` and joins the list once it has confirmed its address by the link of a mail.
         */
        post: operations["submitForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List scoring rules */
        get: operations["listScoringRules"];
        put?: never;
        /** Create a scoring rule */
        post: operations["createScoringRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a scoring rule */
        get: operations["getScoringRule"];
        /** Change a scoring rule */
        put: operations["updateScoringRule"];
        post?: never;
        /** Delete a scoring rule */
        delete: operations["deleteScoringRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Score of a contact */
        get: operations["getContactScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/contacts/{id}/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Score of a contact */
        get: operations["getContactScoreAlias"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/companies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Score of a company */
        get: operations["getCompanyScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Highest scores */
        get: operations["getLeaderboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record a website visit */
        post: operations["recordScoringEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/thresholds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List score thresholds */
        get: operations["listScoreThresholds"];
        put?: never;
        /** Create a score threshold */
        post: operations["createScoreThreshold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/thresholds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a score threshold */
        get: operations["getScoreThreshold"];
        /** Change a score threshold */
        put: operations["updateScoreThreshold"];
        post?: never;
        /** Delete a score threshold */
        delete: operations["deleteScoreThreshold"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where warm and hot begin */
        get: operations["getScoringSettings"];
        /** Move the levels */
        put: operations["updateScoringSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The figures at a glance */
        get: operations["getDashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Email figures */
        get: operations["getEmailsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Contact figures */
        get: operations["getContactsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Campaign figures */
        get: operations["getCampaignsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Form figures */
        get: operations["getFormsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInvitationRequest: {
            /**
             * @description From the link of the mail
             * @example B2RlZmF1bHQ
             */
            token: string;
            /**
             * @description Letters, digits and . _ - +; or the email
             * @example ada
             */
            username: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-8
             */
            password: string;
            /** @example Ada */
            firstName: string;
            /** @example Byron */
            lastName: string;
        };
        Activity: {
            /** @example 1 */
            id: number;
            /** @example EMAIL_OPENED */
            type: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            occurredAt: string;
            data: {
                [key: string]: unknown;
            };
        };
        ActivityList: {
            data: components["schemas"]["Activity"][];
            page: components["schemas"]["Page"];
        };
        AddSegmentContactsAnswer: {
            /** @description How many were not in it yet */
            added: number;
            count: number;
        };
        AddSegmentContactsRequest: {
            /**
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds: number[];
        };
        ApiKey: {
            /** @example 1 */
            id: number;
            /** @example Website */
            name: string;
            permissions: string[];
            /**
             * @description The user for whom it acts
             * @example 1
             */
            createdBy: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
            /** @example default */
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            page: components["schemas"]["Page"];
        };
        AuditEntry: {
            /** @example 1 */
            id: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            at: string;
            /** @enum {string} */
            actorType: "user" | "api_key" | "anonymous" | "system";
            actorId: number | null;
            /** @example ada */
            actorName: string | null;
            /** @example user.updated */
            action: string;
            /** @example user */
            resourceType: string;
            /** @example 7 */
            resourceId: string | null;
            /**
             * @description What was changed, as it was
             * @example {
             *       "active": true
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What was changed, as it is
             * @example {
             *       "active": true
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            requestId: string | null;
            /** @example 192.0.2.7 */
            address: string | null;
            /** @example default */
            tenantId: string;
        };
        AuditEntryList: {
            data: components["schemas"]["AuditEntry"][];
            page: components["schemas"]["Page"];
        };
        AuthResponse: {
            /** @description A JWT for the Authorization header */
            accessToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /**
             * @description Seconds that the access token lives
             * @example 86400
             */
            expiresIn: number;
            /** @description For one POST /auth/refresh */
            refreshToken: string;
            user: components["schemas"]["User"];
        };
        BatchContactsAnswer: {
            results: components["schemas"]["BatchResult"][];
        };
        BatchContactsRequest: {
            contacts: unknown[];
            /**
             * @description create refuses addresses that exist (`email_taken`)
             * @default upsert
             * @enum {string}
             */
            mode?: "upsert" | "create";
        };
        BatchResult: {
            index: number;
            /** @enum {string} */
            status: "created" | "updated" | "unchanged" | "rejected";
            /** @example 1 */
            id: number | null;
            errors: {
                /** @description JSON Pointer into the row */
                path: string;
                code: string;
                message: string;
            }[];
        };
        Campaign: {
            /** @example 1 */
            id: number;
            /** @example Welcome */
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "DRAFT" | "ACTIVE" | "PAUSED" | "STOPPED" | "ARCHIVED";
            /** @enum {string} */
            type: "CUSTOM" | "WELCOME_SERIES" | "NURTURE" | "RE_ENGAGEMENT";
            trigger: components["schemas"]["Trigger"];
            steps: components["schemas"]["Step"][];
            entry: components["schemas"]["Entry"];
            /** @description The version that contacts enter; null before the first start */
            publishedVersion: number | null;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        CampaignList: {
            data: components["schemas"]["Campaign"][];
            page: components["schemas"]["Page"];
        };
        CampaignStats: {
            executions: {
                running: number;
                completed: number;
                stopped: number;
                failed: number;
            };
            steps: {
                /** @example wait-1 */
                stepId: string;
                type: string;
                /** @description Arrivals: waiting + completed + stopped + failed */
                entered: number;
                waiting: number;
                completed: number;
                /** @description Part of completed: mail that a gate held back */
                suppressed: number;
                stopped: number;
                failed: number;
            }[];
            emails: {
                queued: number;
                sent: number;
                delivered: number;
                failed: number;
                suppressed: number;
                bounced: number;
                complained: number;
                unknown: number;
                opens: number;
                uniqueOpens: number;
                clicks: number;
                uniqueClicks: number;
                unsubscribes: number;
                openRate: number;
                clickRate: number;
            };
            /** @description Contacts who submitted a form after they had entered */
            conversions: number;
        };
        CampaignsAnalytics: {
            period: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                to: string;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            totals: {
                entries: number;
                completions: number;
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            };
            byCampaign: {
                /** @example 1 */
                campaignId: number;
                entries: number;
                completions: number;
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            }[];
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                entries: number;
                completions: number;
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        ChangePasswordRequest: {
            /** @example Correct-Horse-7 */
            currentPassword: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-8
             */
            newPassword: string;
        };
        Company: {
            /** @example 1 */
            id: number;
            name: string;
            domain: string | null;
            industry: string | null;
            employeeCount: number | null;
            address: string | null;
            customFields: {
                [key: string]: unknown;
            };
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        CompanyList: {
            data: components["schemas"]["Company"][];
            page: components["schemas"]["Page"];
        };
        CompanyScore: {
            /** @example 1 */
            companyId: number;
            totalScore: number;
            contactsTotal: number;
            /** @enum {string} */
            qualification: "cold" | "warm" | "hot";
            history: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                eventType: string;
                /** @example 1 */
                ruleId: number;
                points: number;
                total: number;
                eventId: string;
            }[];
        };
        ConfirmTotpRequest: {
            /**
             * @description The present code of the authenticator app
             * @example 123456
             */
            totp: string;
        };
        Contact: {
            /** @example 1 */
            id: number;
            firstName: string;
            lastName: string;
            /** @example ada@example.com */
            email: string;
            phone: string | null;
            /** @description The phone in E.164, where it can be read */
            phoneE164: string | null;
            jobTitle: string | null;
            /** @example 1 */
            companyId: number | null;
            company: {
                /** @example 1 */
                id: number;
                name: string;
            } | null;
            /**
             * @example active
             * @enum {string}
             */
            status: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            tags: string[];
            customFields: {
                [key: string]: unknown;
            };
            timezone: string | null;
            locale: string | null;
            source: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        ContactList: {
            data: components["schemas"]["Contact"][];
            page: components["schemas"]["Page"];
        };
        ContactScore: {
            /** @example 1 */
            contactId: number;
            totalScore: number;
            /** @enum {string} */
            qualification: "cold" | "warm" | "hot";
            rules: {
                /** @example 1 */
                ruleId: number;
                score: number;
            }[];
            thresholds: {
                /** @example 1 */
                thresholdId: number;
                triggered: boolean;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string | null;
            }[];
            history: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                eventType: string;
                /** @example 1 */
                ruleId: number;
                points: number;
                total: number;
                eventId: string;
            }[];
        };
        ContactsAnalytics: {
            period: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                to: string;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            totals: {
                total: number;
                new: number;
                unsubscribes: number;
            };
            byStatus: {
                status: string;
                count: number;
            }[];
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                new: number;
                unsubscribes: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        CreateApiKeyRequest: {
            /** @example Website */
            name: string;
            /**
             * @example [
             *       "contacts:write"
             *     ]
             */
            permissions: string[];
            /**
             * Format: date-time
             * @example 2099-01-31T09:30:00.000Z
             */
            expiresAt?: string | null;
        };
        CreateCampaignRequest: {
            /** @example Welcome */
            name: string;
            description?: string | null;
            /**
             * @description Default CUSTOM
             * @enum {string}
             */
            type?: "CUSTOM" | "WELCOME_SERIES" | "NURTURE" | "RE_ENGAGEMENT";
            trigger?: components["schemas"]["Trigger"] | null;
            steps?: components["schemas"]["Step"][] | null;
            entry?: components["schemas"]["Entry"] | null;
            /** @description Of a prebuilt type, instead of steps: its 3, 5 or 2 templates in order */
            templateIds?: number[];
        };
        CreateCompanyRequest: {
            /** @example Example Ltd */
            name: string;
            /** @example example.com */
            domain?: string | null;
            /** @example Software */
            industry?: string | null;
            employeeCount?: number | null;
            /** @example 1 Example Street */
            address?: string | null;
            customFields?: {
                [key: string]: unknown;
            } | null;
        };
        CreateContactRequest: {
            /** @example Ada */
            firstName: string;
            /** @example Byron */
            lastName: string;
            /** @example ada@example.com */
            email: string;
            /** @example +44 20 7946 0958 */
            phone?: string | null;
            /** @example Engineer */
            jobTitle?: string | null;
            /** @example 1 */
            companyId?: number | null;
            /**
             * @description Only unsubscribed and archived can be set
             * @enum {string}
             */
            status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            /**
             * @example [
             *       "vip"
             *     ]
             */
            tags?: string[] | null;
            customFields?: {
                [key: string]: unknown;
            } | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            /** @example de-AT */
            locale?: string | null;
            /** @example fair */
            source?: string | null;
            /** @description The name of a company: found ignoring case, or created. Not together with companyId */
            company?: string | null;
        };
        CreateCustomFieldRequest: {
            /**
             * @example contact
             * @enum {string}
             */
            entity: "contact" | "company";
            /** @example plan */
            name: string;
            /**
             * @description A date is a text such as 2030-12-31
             * @example string
             * @enum {string}
             */
            type: "string" | "number" | "boolean" | "date" | "enum";
            /** @description The values of an enum; of no other type */
            options?: string[] | null;
            description?: string | null;
        };
        CreateEmailCampaignRequest: {
            /** @example May newsletter */
            name: string;
            /** @description Or `variants` */
            templateId?: number | null;
            /** @description Who gets it */
            segmentId?: number | null;
            /** @description The same, by its other name */
            listId?: number | null;
            /**
             * @description `recipient_local_time`: at the time of day that `scheduledAt` is in `timezone`, wherever the recipient is
             * @enum {string|null}
             */
            scheduleType?: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt?: string | null;
            /**
             * @description Five fields, of a recurring one
             * @example 0 9 * * 1
             */
            cron?: string | null;
            /**
             * @description Of `cron` and of the local time; UTC where absent
             * @example Europe/Berlin
             */
            timezone?: string | null;
            ratePerMinute?: number | null;
            /**
             * @description What is compared, instead of `templateId`
             * @example [
             *       {
             *         "name": "A",
             *         "templateId": 1,
             *         "weight": 50
             *       },
             *       {
             *         "name": "B",
             *         "templateId": 2,
             *         "weight": 50
             *       }
             *     ]
             */
            variants?: {
                /** @example A */
                name: string;
                /** @example 1 */
                templateId: number;
                /** @example 50 */
                weight: number;
            }[] | null;
            winner?: {
                /**
                 * @description People who opened, or clicked, of those it was delivered to; `opens` is `openRate`, `clicks` is `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from the end of the test's delivery */
                afterMinutes: number;
                /** @description Of the audience; the others get what won */
                testPercent: number;
            } | null;
        };
        CreateFormRequest: {
            name: string;
            fields: {
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "consent" | "rating";
                id?: number;
                /** @description The field for the email address always is */
                required?: boolean;
                placeholder?: string | null;
                defaultValue?: string | null;
                displayOrder?: number;
                /** @description For the whole text, in RE2 syntax; without maxLength the text has at most 1000 characters */
                validationRegex?: string | null;
                minLength?: number | null;
                maxLength?: number | null;
                options?: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; a field named like a contact field fills that by itself */
                mapTo?: string | null;
            }[];
            description?: string | null;
            /** @enum {string} */
            status?: "DRAFT" | "ACTIVE" | "ARCHIVED";
            successMessage?: string | null;
            redirectUrl?: string | null;
            submitLabel?: string | null;
            /** @example 1 */
            listId?: number | null;
            allowedOrigins?: string[] | null;
            /** @enum {string|null} */
            updateExisting?: "fillEmpty" | "overwrite" | null;
            /** @description A new contact is `pending` until it confirms its address by the link of a mail */
            doubleOptIn?: boolean;
            /** @constant */
            enableProgressiveProfiling?: false;
            /** @constant */
            enableCaptcha?: false;
            notifyEmails?: string[];
            progressiveFields?: string[];
        };
        CreateInvitationRequest: {
            /** @example ada@example.com */
            email: string;
            /**
             * @default [
             *       "User"
             *     ]
             */
            roles?: string[];
        };
        CreateListRequest: {
            /** @example Active customers */
            name: string;
            description?: string | null;
            /**
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @description Of a static list: a form that adds to it asks the contact to confirm its address first */
            doubleOptIn?: boolean;
        };
        CreateRoleRequest: {
            /** @example Editor */
            name: string;
            description?: string | null;
            /**
             * @description Names of permissions, within your own
             * @example [
             *       "contacts:read",
             *       "contacts:write"
             *     ]
             */
            permissions: string[];
        };
        CreateScoreThresholdRequest: {
            name: string;
            score: number;
            action?: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
            } & (unknown & unknown);
        };
        CreateScoringRuleRequest: {
            /** @example Email opened */
            name: string;
            /** @enum {string} */
            eventType: "CONTACT_CREATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "FORM_SUBMITTED" | "CAMPAIGN_COMPLETED" | "WEBSITE_VISITED";
            /** @example 5 */
            points: number;
            category?: string | null;
            weight?: number;
            conditions?: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[];
            /** @description Most points that the rule gives one contact */
            maxPerContact?: number | null;
            /** @enum {string} */
            target?: "contact" | "company";
            active?: boolean;
        };
        CreateSegmentRequest: {
            /** @example Active customers */
            name: string;
            description?: string | null;
            /**
             * @description By a filter, or by hand
             * @enum {string}
             */
            type: "dynamic" | "static";
            filter?: components["schemas"]["Filter"];
            /**
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @description Of a static list: a form that adds to it asks the contact to confirm its address first */
            doubleOptIn?: boolean;
        };
        CreateSenderRequest: {
            /**
             * @description The address that mail is from
             * @example news@example.com
             */
            email: string;
            /**
             * @description Shown beside the address where a template names none
             * @example Example News
             */
            name?: string | null;
            /**
             * @description Where a template names none
             * @example help@example.com
             */
            replyTo?: string | null;
            dkim?: components["schemas"]["SenderDkimRequest"] | null;
        };
        CreateSuppressionRequest: {
            /** @example someone@example.com */
            email: string;
            /**
             * @example manual
             * @enum {string}
             */
            reason?: "unsubscribed" | "bounced" | "complained" | "manual";
        };
        CreateTemplateRequest: {
            /** @example Welcome */
            name: string;
            /** @example Hello {{firstName}} */
            subject: string;
            /**
             * @description HTML, or MJML, with Liquid
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content: string;
            /** @description The text part, with Liquid; made from the content when absent */
            text?: string | null;
            /** @description What inboxes show beside the subject */
            previewText?: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing mail about a topic is not sent to who does not want it
             * @example 1
             */
            topicId?: number | null;
            fromName?: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a domain that one has verified; the default sender where it is null
             * @example someone@example.com
             */
            fromEmail?: string | null;
            /** @example someone@example.com */
            replyTo?: string | null;
        };
        CreateTopicRequest: {
            /**
             * @description As recipients read it
             * @example Product news
             */
            name: string;
            /** @description What stands below the name on the preference page */
            description?: string | null;
        };
        CustomField: {
            /** @example 1 */
            id: number;
            /**
             * @example contact
             * @enum {string}
             */
            entity: "contact" | "company";
            name: string;
            /**
             * @description A date is a text such as 2030-12-31
             * @example string
             * @enum {string}
             */
            type: "string" | "number" | "boolean" | "date" | "enum";
            /** @description The values of an enum */
            options: string[] | null;
            description: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        CustomFieldList: {
            data: components["schemas"]["CustomField"][];
            page: components["schemas"]["Page"];
        };
        Dashboard: {
            period: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                to: string;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            contacts: {
                total: number;
                new: number;
            };
            emails: {
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            };
            conversions: {
                total: number;
                /** @description A fraction: 0.25 is 25 % */
                rate: number;
            };
            campaigns: {
                active: number;
                running: number;
                completed: number;
            };
            forms: {
                views: number;
                submissions: number;
            };
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                contacts: number;
                sent: number;
                opens: number;
                clicks: number;
                unsubscribes: number;
                submissions: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        Email: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            templateId: number;
            contentVersion: number | null;
            /** @example 1 */
            contactId: number | null;
            to: string | null;
            /** @example 1 */
            campaignId: number | null;
            /** @example 1 */
            executionId: number | null;
            stepId: string | null;
            externalId: string | null;
            /** @enum {string} */
            lane: "transactional" | "journey" | "bulk";
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
            reason: string | null;
            attempts: number;
            provider: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            sentAt: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        EmailCampaign: {
            /** @example 1 */
            id: number;
            /** @example May newsletter */
            name: string;
            /** @description Or `variants` */
            templateId: number | null;
            /** @description Who gets it */
            segmentId: number | null;
            /** @description The same, by its other name */
            listId: number | null;
            /**
             * @description `recipient_local_time`: at the time of day that `scheduledAt` is in `timezone`, wherever the recipient is
             * @enum {string|null}
             */
            scheduleType: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt: string | null;
            /**
             * @description Five fields, of a recurring one
             * @example 0 9 * * 1
             */
            cron: string | null;
            /**
             * @description Of `cron` and of the local time; UTC where absent
             * @example Europe/Berlin
             */
            timezone: string | null;
            ratePerMinute: number | null;
            /**
             * @description What is compared, instead of `templateId`
             * @example [
             *       {
             *         "name": "A",
             *         "templateId": 1,
             *         "weight": 50
             *       },
             *       {
             *         "name": "B",
             *         "templateId": 2,
             *         "weight": 50
             *       }
             *     ]
             */
            variants: {
                /** @example A */
                name: string;
                /** @example 1 */
                templateId: number;
                /** @example 50 */
                weight: number;
            }[] | null;
            winner: {
                /**
                 * @description People who opened, or clicked, of those it was delivered to; `opens` is `openRate`, `clicks` is `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from the end of the test's delivery */
                afterMinutes: number;
                /** @description Of the audience; the others get what won */
                testPercent: number;
            } | null;
            /** @description What won */
            winnerVariant: string | null;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "PAUSED" | "SENT" | "CANCELLED" | "FAILED";
            /** @description Why it FAILED */
            error: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            nextRunAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        EmailCampaignList: {
            data: components["schemas"]["EmailCampaign"][];
            page: components["schemas"]["Page"];
        };
        EmailCampaignStats: {
            /** @example 1 */
            campaignId: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "PAUSED" | "SENT" | "CANCELLED" | "FAILED";
            /** @description = queued + sent + failed + suppressed + unknown */
            audience: number;
            queued: number;
            sent: number;
            delivered: number;
            failed: number;
            suppressed: number;
            bounced: number;
            complained: number;
            unknown: number;
            opens: number;
            uniqueOpens: number;
            clicks: number;
            uniqueClicks: number;
            unsubscribes: number;
            /** @description Of delivered */
            openRate: number;
            /** @description Of delivered */
            clickRate: number;
            links: {
                url: string;
                clicks: number;
                uniqueClicks: number;
            }[];
            variants: {
                name: string;
                /** @example 1 */
                templateId: number;
                weight: number;
                winner: boolean;
                /** @description = queued + sent + failed + suppressed + unknown */
                audience: number;
                queued: number;
                sent: number;
                delivered: number;
                failed: number;
                suppressed: number;
                bounced: number;
                complained: number;
                unknown: number;
                opens: number;
                uniqueOpens: number;
                clicks: number;
                uniqueClicks: number;
                unsubscribes: number;
                /** @description Of delivered */
                openRate: number;
                /** @description Of delivered */
                clickRate: number;
            }[];
        };
        EmailList: {
            data: components["schemas"]["Email"][];
            page: components["schemas"]["Page"];
        };
        EmailSettings: {
            frequencyCap: {
                maxEmails: number;
                perDays: number;
            } | null;
            sendWindow: {
                /** @description Every day where absent */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM up to 24:00, exclusive
                 * @example 17:00
                 */
                to: string;
                /**
                 * @description An IANA timezone, or `contact` for the contact's own
                 * @example Europe/Berlin
                 */
                timezone: string;
            } | null;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        EmailsAnalytics: {
            period: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                to: string;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            totals: {
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            };
            byTemplate: {
                /** @example 1 */
                templateId: number | null;
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            }[];
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                sent: number;
                /** @description Sent less bounces, both of the period, and 0 at least: a mail can come back in a later period than it was sent in. So parts need not add up */
                delivered: number;
                failed: number;
                opens: number;
                clicks: number;
                bounces: number;
                unsubscribes: number;
                /** @description A fraction: 0.25 is 25 % */
                openRate: number;
                /** @description A fraction: 0.25 is 25 % */
                clickRate: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        Enrolment: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            campaignVersion: number;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "CANCELLED";
            /** @example 1 */
            segmentId: number | null;
            enrolled: number;
            /** @description Contacts that the entry rules kept out */
            skipped: number;
            workflowId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
        };
        /** @description Who may enter, and how mail is paced */
        Entry: {
            /**
             * @description Default never
             * @enum {unknown}
             */
            reentry?: "never" | "after_completion" | "always";
            /** @description Between two entries of a contact; default 0 */
            minIntervalMinutes?: number;
            /** @description Default true */
            exitOnUnsubscribe?: boolean;
            /** @description EMAIL steps wait for it */
            sendWindow?: {
                /** @description Every day where absent */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM up to 24:00, exclusive
                 * @example 17:00
                 */
                to: string;
                /**
                 * @description An IANA timezone, or `contact` for the contact's own
                 * @example Europe/Berlin
                 */
                timezone: string;
            } | null;
            /** @description Marketing mail to a contact within that many days, beyond which it is suppressed */
            frequencyCap?: {
                maxEmails: number;
                perDays: number;
            } | null;
        };
        Erasure: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            contactId: number;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
            certificate: {
                requestedBy: {
                    /** @enum {string} */
                    type: "user" | "api_key" | "anonymous" | "system";
                    /** @example 1 */
                    id: number;
                    name: string;
                };
                /**
                 * @description How much, by the place it was in
                 * @example {
                 *       "contacts": 1,
                 *       "activities": 12,
                 *       "events": 14
                 *     }
                 */
                erased: {
                    [key: string]: number;
                };
            } | null;
            error: string | null;
            workflowId: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        ErasureList: {
            data: components["schemas"]["Erasure"][];
            page: components["schemas"]["Page"];
        };
        /**
         * @description Stable; what to branch on
         * @enum {string}
         */
        ErrorCode: "validation_failed" | "malformed_request" | "malformed_json" | "malformed_body" | "token_invalid" | "invalid_link" | "unsupported_file" | "unauthorized" | "token_expired" | "token_revoked" | "invalid_credentials" | "forbidden" | "registration_disabled" | "email_unverified" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "username_taken" | "email_taken" | "name_taken" | "in_use" | "dns_record_invalid" | "idempotency_conflict" | "last_admin" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "template_limit" | "too_many_requests" | "headers_too_large" | "internal" | "unavailable";
        Execution: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            campaignVersion: number;
            /** @example 1 */
            contactId: number;
            entryNo: number;
            /** @description Index in the list of steps; when COMPLETED the number of steps */
            currentStep: number;
            /** @example wait-1 */
            currentStepId: string | null;
            /** @enum {string} */
            status: "RUNNING" | "STOPPED" | "COMPLETED" | "FAILED";
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
            /** @example campaign_stopped */
            exitReason: string | null;
            /**
             * @description Null where a campaign without steps was over at once
             * @example campaign-execution/default/7/42/1
             */
            workflowId: string | null;
            runId: string | null;
        };
        ExecutionList: {
            data: components["schemas"]["Execution"][];
            page: components["schemas"]["Page"];
        };
        ExecutionWithSteps: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            campaignVersion: number;
            /** @example 1 */
            contactId: number;
            entryNo: number;
            /** @description Index in the list of steps; when COMPLETED the number of steps */
            currentStep: number;
            /** @example wait-1 */
            currentStepId: string | null;
            /** @enum {string} */
            status: "RUNNING" | "STOPPED" | "COMPLETED" | "FAILED";
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
            /** @example campaign_stopped */
            exitReason: string | null;
            /**
             * @description Null where a campaign without steps was over at once
             * @example campaign-execution/default/7/42/1
             */
            workflowId: string | null;
            runId: string | null;
            steps: {
                /** @example wait-1 */
                stepId: string;
                visit: number;
                type: string;
                /** @description `success`, `suppressed`, `then`, `else`, `branch-1`…, `stop` or `failed` */
                result: string;
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                executedAt: string;
                /** @description From the arrival at the step until it was done, waiting included */
                durationMs: number;
            }[];
        };
        ExplainCampaignContactAnswer: {
            /** @example 1 */
            campaignId: number;
            /** @example 1 */
            contactId: number;
            inCampaign: boolean;
            canEnter: boolean;
            checks: {
                /** @enum {string} */
                check: "campaign" | "contact" | "reentry" | "interval";
                passed: boolean;
                reason: string;
            }[];
            executions: components["schemas"]["Execution"][];
        };
        /** @description Of the latest email; without one, what stands between */
        ExplainContactEmailsAnswer: {
            /** @example 1 */
            contactId: number;
            /** @example 1 */
            campaignId: number | null;
            /** @example 1 */
            emailId: number | null;
            /** @enum {string|null} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN" | null;
            gates: {
                gate: string;
                passed: boolean;
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
            }[];
            attempts: {
                provider: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                reply: string | null;
            }[];
            /** @description All of them, latest first */
            emails: {
                /** @example 1 */
                emailId: number;
                /** @enum {string} */
                status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                createdAt: string;
            }[];
        };
        ExplainEmailAnswer: {
            /** @example 1 */
            emailId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
            gates: {
                gate: string;
                passed: boolean;
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
            }[];
            attempts: {
                provider: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                reply: string | null;
            }[];
        };
        ExportContactsAnswer: components["schemas"]["Contact"][];
        /**
         * @description A group `{op, conditions}`, a field leaf `{field, operator, value}`, or an event leaf `{event, operator, count, withinDays, where}`
         * @example {
         *       "op": "and",
         *       "conditions": [
         *         {
         *           "field": "status",
         *           "operator": "eq",
         *           "value": "active"
         *         },
         *         {
         *           "event": "EMAIL_OPENED",
         *           "operator": "atLeast",
         *           "count": 1,
         *           "withinDays": 30
         *         }
         *       ]
         *     }
         */
        Filter: {
            /**
             * @description Makes it a group; `not` = none of its conditions holds
             * @enum {unknown}
             */
            op?: "and" | "or" | "not";
            /** @description Of a group, nested up to 10 deep */
            conditions?: components["schemas"]["Filter"][];
            /** @description Makes it a field leaf: a contact field, `customFields.x`, `tags`, `company.x`, `score`, `qualification`, `listId`, `segmentId` */
            field?: string;
            /**
             * @description Makes it an event leaf
             * @enum {unknown}
             */
            event?: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "FORM_SUBMITTED" | "WEBSITE_VISITED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "SCORE_UPDATED";
            /**
             * @description Of a field leaf; of an event leaf `atLeast`, `atMost`, `none`
             * @enum {unknown}
             */
            operator?: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays" | "atLeast" | "atMost" | "none";
            /** @description Of a field leaf: a text, number or boolean; a list for `in`, `notIn`, `between` */
            value?: unknown;
            /** @description Of an event leaf */
            count?: number;
            /** @description Of an event leaf: only events of the last days */
            withinDays?: number;
            where?: Record<string, never>[];
        };
        ForgotPasswordRequest: {
            /** @example ada@example.com */
            email: string;
        };
        Form: {
            /** @example 1 */
            id: number;
            name: string;
            description: string | null;
            fields: {
                id: number;
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "consent" | "rating";
                /** @description The field for the email address always is */
                required: boolean;
                placeholder: string | null;
                defaultValue: string | null;
                displayOrder: number;
                /** @description For the whole text, in RE2 syntax; without maxLength the text has at most 1000 characters */
                validationRegex: string | null;
                minLength: number | null;
                maxLength: number | null;
                options: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; a field named like a contact field fills that by itself */
                mapTo: string | null;
            }[];
            /** @enum {string} */
            status: "DRAFT" | "ACTIVE" | "ARCHIVED";
            successMessage: string | null;
            redirectUrl: string | null;
            submitLabel: string | null;
            /** @example 1 */
            listId: number | null;
            allowedOrigins: string[];
            /** @enum {string} */
            updateExisting: "fillEmpty" | "overwrite";
            /** @description A new contact is `pending` until it confirms its address by the link of a mail */
            doubleOptIn: boolean;
            /** @constant */
            enableProgressiveProfiling: false;
            /** @constant */
            enableCaptcha: false;
            notifyEmails: string[];
            progressiveFields: string[];
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        FormEmbed: {
            /** @enum {string} */
            type: "javascript" | "iframe" | "html";
            code: string;
        };
        FormFields: {
            /** @example 1 */
            id: number;
            name: string;
            submitLabel: string;
            fields: {
                id: number;
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "consent" | "rating";
                /** @description The field for the email address always is */
                required: boolean;
                placeholder: string | null;
                defaultValue: string | null;
                displayOrder: number;
                /** @description For the whole text, in RE2 syntax; without maxLength the text has at most 1000 characters */
                validationRegex: string | null;
                minLength: number | null;
                maxLength: number | null;
                options: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; a field named like a contact field fills that by itself */
                mapTo: string | null;
            }[];
        };
        FormList: {
            data: components["schemas"]["Form"][];
            page: components["schemas"]["Page"];
        };
        FormStats: {
            views: number;
            submissions: number;
            conversionRate: number;
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                views: number;
                submissions: number;
            }[];
        };
        FormToken: {
            token: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        FormsAnalytics: {
            period: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                to: string;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            totals: {
                views: number;
                submissions: number;
                /** @description A fraction: 0.25 is 25 % */
                conversionRate: number;
            };
            byForm: {
                /** @example 1 */
                formId: number;
                views: number;
                submissions: number;
                /** @description A fraction: 0.25 is 25 % */
                conversionRate: number;
            }[];
            series: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                submissions: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        Health: {
            /** @enum {string} */
            status: "UP" | "DEGRADED" | "DOWN";
            components: {
                [key: string]: {
                    /** @enum {string} */
                    status: "UP" | "DEGRADED" | "DOWN";
                };
            };
        };
        HeldData: {
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            exportedAt: string;
            contact: components["schemas"]["Contact"];
            company: {
                /** @example 1 */
                id: number;
                name: string;
                domain: string | null;
                industry: string | null;
                employeeCount: number | null;
                address: string | null;
                customFields: {
                    [key: string]: unknown;
                };
                tenantId: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                updatedAt: string;
                /** @description For concurrency only; the ETag of reads */
                version: number;
            } | null;
            /** @description As of GET /contacts/{id}/activities */
            activities: {
                [key: string]: unknown;
            }[];
            /** @description With their opens, clicks and unsubscribes in `events`, and what came back in `bounces` */
            emails: {
                [key: string]: unknown;
            }[];
            /** @description Of forms, with what was submitted */
            submissions: {
                [key: string]: unknown;
            }[];
            /** @description Segments and lists */
            memberships: {
                [key: string]: unknown;
            }[];
            /** @description Of campaigns, with their steps */
            executions: {
                [key: string]: unknown;
            }[];
            score: {
                total: number;
                /** @description Points by rule */
                rules: {
                    [key: string]: unknown;
                }[];
                /** @description Those that fired */
                thresholds: {
                    [key: string]: unknown;
                }[];
                /** @description Every change */
                history: {
                    [key: string]: unknown;
                }[];
            };
            /** @description Of the address */
            suppressions: {
                [key: string]: unknown;
            }[];
            /** @description Topics that it wants no mail about */
            topicOptOuts: {
                [key: string]: unknown;
            }[];
            /** @description When it was asked to confirm the address, and when, from where and by what it did */
            optIns: {
                [key: string]: unknown;
            }[];
        };
        Import: {
            /** @example 1 */
            id: number;
            fileName: string;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "UNDONE";
            totalRows: number | null;
            processedRows: number;
            created: number;
            updated: number;
            unchanged: number;
            duplicates: number;
            rejected: number;
            ignoredColumns: string[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
            error: string | null;
            undo: components["schemas"]["ImportUndo"] | null;
            workflowId: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        ImportContactsRequest: {
            /**
             * Format: binary
             * @description The CSV file
             */
            file: Blob;
            /** @description JSON: CSV header → field; null leaves the column out */
            mapping?: string;
            /**
             * @default upsert
             * @enum {string}
             */
            mode?: "upsert" | "create" | "update";
            listId?: string;
            encoding?: string;
            delimiter?: string;
            /**
             * @description Whether the new contacts start campaigns
             * @default false
             * @enum {string}
             */
            runTriggers?: "true" | "false";
            /**
             * @default false
             * @enum {string}
             */
            dryRun?: "true" | "false";
        };
        ImportList: {
            data: components["schemas"]["Import"][];
            page: components["schemas"]["Page"];
        };
        /** @description What undoing it has done so far */
        ImportUndo: {
            removed: number;
            restored: number;
            kept: number;
        };
        Invitation: {
            /** @example 1 */
            id: number;
            /** @example ada@example.com */
            email: string;
            roles: string[];
            /** @enum {string} */
            status: "OPEN" | "ACCEPTED" | "EXPIRED";
            /**
             * @description The user who invites
             * @example 1
             */
            invitedBy: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            acceptedAt: string | null;
            /** @example default */
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        InvitationList: {
            data: components["schemas"]["Invitation"][];
            page: components["schemas"]["Page"];
        };
        Leaderboard: {
            data: {
                rank: number;
                /** @example 1 */
                contactId?: number;
                /** @example 1 */
                companyId?: number;
                name: string;
                totalScore: number;
                /** @enum {string} */
                qualification: "cold" | "warm" | "hot";
            }[];
        };
        ListContactSegmentsItem: {
            /** @example 1 */
            id: number;
            name: string;
            /**
             * @description By a filter, or by hand
             * @enum {string}
             */
            type: "dynamic" | "static";
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            addedAt: string | null;
            /** @description With explain=true: whether the contact is in it */
            member?: boolean;
            /**
             * @description With explain=true, of a dynamic segment: its filter as a tree. A group is `{op, holds, conditions}`; a leaf is `{filter, value, holds}` with `value` what the contact has (null = missing; of `tags`, `listId`, `segmentId` a list), of an event leaf how often it happened
             * @example {
             *       "op": "and",
             *       "holds": false,
             *       "conditions": [
             *         {
             *           "filter": {
             *             "field": "status",
             *             "operator": "eq",
             *             "value": "active"
             *           },
             *           "value": "active",
             *           "holds": true
             *         },
             *         {
             *           "filter": {
             *             "event": "EMAIL_OPENED",
             *             "operator": "atLeast",
             *             "count": 3,
             *             "withinDays": 30
             *           },
             *           "value": 1,
             *           "holds": false
             *         }
             *       ]
             *     }
             */
            explanation?: {
                [key: string]: unknown;
            } | null;
        };
        ListContactSegmentsItemList: {
            data: components["schemas"]["ListContactSegmentsItem"][];
            page: components["schemas"]["Page"];
        };
        ListEmailCampaignRecipientsItem: {
            /** @example 1 */
            emailId: number;
            /** @example 1 */
            contactId: number | null;
            /** @description Where it went; null before it was sent */
            email: string | null;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
            reason: string | null;
            variant: string | null;
            /** @example 1 */
            templateId: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            dueAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        ListEmailCampaignRecipientsItemList: {
            data: components["schemas"]["ListEmailCampaignRecipientsItem"][];
            page: components["schemas"]["Page"];
        };
        ListImportKeptItem: {
            /** @example 1 */
            contactId: number;
            email: string;
            /**
             * @description Why undoing the import left it as it is
             * @enum {string}
             */
            reason: "changed_since" | "in_campaign" | "emailed" | "submitted_form" | "active" | "suppressed";
        };
        ListImportKeptItemList: {
            data: components["schemas"]["ListImportKeptItem"][];
            page: components["schemas"]["Page"];
        };
        LoginRequest: {
            /**
             * @description The username or the email
             * @example ada
             */
            username: string;
            /** @example Correct-Horse-7 */
            password: string;
            /**
             * @description The present code of the authenticator app
             * @example 123456
             */
            totp?: string;
        };
        MergeContactsRequest: {
            /** @example 1 */
            sourceId: number;
        };
        NewApiKey: {
            /** @example 1 */
            id: number;
            /** @example Website */
            name: string;
            permissions: string[];
            /**
             * @description The user for whom it acts
             * @example 1
             */
            createdBy: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
            /** @example default */
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * @description Shown here and never again
             * @example pk_example
             */
            key: string;
        };
        Page: {
            /** @example 50 */
            limit: number;
            /** @description The cursor of the next page; null on the last */
            nextCursor: string | null;
            hasMore: boolean;
            /** @description With includeTotal=true */
            total?: number;
        };
        Permission: {
            /** @example 1 */
            id: number;
            /** @enum {string} */
            name: "contacts:read" | "contacts:write" | "emails:read" | "emails:write" | "campaigns:read" | "campaigns:write" | "forms:read" | "forms:write" | "scoring:read" | "scoring:write" | "analytics:read" | "analytics:write" | "emails:send" | "users:read" | "users:write" | "roles:read" | "roles:write" | "api-keys:read" | "api-keys:write" | "settings:read" | "settings:write" | "audit-log:read" | "erasure:read" | "erasure:write";
            /** @example contacts */
            resource: string;
            /** @example read */
            action: string;
            description: string;
        };
        PermissionList: {
            data: components["schemas"]["Permission"][];
            page: components["schemas"]["Page"];
        };
        PreviewSegmentAnswer: {
            count: number;
            /** @description Up to ten of them */
            sample: components["schemas"]["Contact"][];
        };
        PreviewSegmentRequest: {
            filter: components["schemas"]["Filter"];
        };
        PreviewTemplateAnswer: {
            subject: string;
            html: string;
            text: string;
        };
        PreviewTemplateRequest: {
            /** @example 1 */
            contactId?: number;
            /** @description What {{data.x}} prints */
            data?: {
                [key: string]: unknown;
            };
        };
        /** @description RFC 9457 */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: components["schemas"]["ErrorCode"];
            requestId: string;
            errors?: components["schemas"]["Violation"][];
        };
        Provider: {
            /**
             * @description host:port
             * @example smtp.example.com:587
             */
            provider: string;
            /** @description Its place in the failover order, from 1 */
            order: number;
            /**
             * @description DOWN: no process sends by it, until it has rested. DEGRADED: it rests for some, has failed since it last worked, or there is no sender process
             * @enum {string}
             */
            status: "UP" | "DEGRADED" | "DOWN";
            /** @description Of one sender process, at most */
            connections: number;
            /** @description Of all sender processes together */
            ratePerMinute: number | null;
            /** @description Sender processes that were seen within the last minute */
            processes: number;
            /** @description In a row */
            failures: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            restsUntil: string | null;
            lastError: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastErrorAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastSentAt: string | null;
            /** @description By these processes since each began */
            sent: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            seenAt: string | null;
        };
        ProviderList: {
            data: components["schemas"]["Provider"][];
        };
        QueuedEmail: {
            /** @example 1 */
            emailId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
        };
        RebuildSegmentAnswer: {
            /** @description Memberships that were not as the filter says */
            differed: number;
            added: number;
            removed: number;
            count: number;
        };
        RecordScoringEventAnswer: {
            eventId: string;
        };
        RecordScoringEventRequest: {
            /** @example 1 */
            contactId: number;
            /** @enum {string} */
            type: "WEBSITE_VISITED";
            data?: {
                url?: string;
            };
        };
        RefreshRequest: {
            refreshToken: string;
        };
        RegisterRequest: {
            /**
             * @description Letters, digits and . _ - +; or the email
             * @example ada
             */
            username: string;
            /** @example ada@example.com */
            email: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-8
             */
            password: string;
            /** @example Ada */
            firstName: string;
            /** @example Byron */
            lastName: string;
        };
        RemoveSegmentContactsAnswer: {
            /** @description How many were in it */
            removed: number;
            count: number;
        };
        RemoveTotpRequest: {
            /**
             * @description The present code of the authenticator app
             * @example 123456
             */
            totp?: string;
            /** @example Correct-Horse-7 */
            currentPassword?: string;
        };
        ResetPasswordRequest: {
            /**
             * @description From the link of the mail
             * @example B2RlZmF1bHQ
             */
            token: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-8
             */
            password: string;
        };
        ResolveEmailRequest: {
            /**
             * @description It was sent; it was not, and shall not be; it was not, and shall be sent again
             * @enum {string}
             */
            outcome: "sent" | "failed" | "resend";
        };
        Role: {
            /** @example 1 */
            id: number;
            /** @example Editor */
            name: string;
            description: string | null;
            permissions: string[];
            /** @description Every tenant has it, and nobody changes it */
            builtIn: boolean;
            /** @example default */
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        RoleList: {
            data: components["schemas"]["Role"][];
            page: components["schemas"]["Page"];
        };
        ScoreThreshold: {
            /** @example 1 */
            id: number;
            name: string;
            score: number;
            action: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
            } & (unknown & unknown);
            /** @description It has fired for anyone */
            triggered: boolean;
            triggeredCount: number;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        ScoreThresholdList: {
            data: components["schemas"]["ScoreThreshold"][];
            page: components["schemas"]["Page"];
        };
        ScoringRule: {
            /** @example 1 */
            id: number;
            /** @example Email opened */
            name: string;
            /** @enum {string} */
            eventType: "CONTACT_CREATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "FORM_SUBMITTED" | "CAMPAIGN_COMPLETED" | "WEBSITE_VISITED";
            /** @example 5 */
            points: number;
            category: string | null;
            /** @default 1 */
            weight: number;
            conditions: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[];
            /** @description Most points that the rule gives one contact */
            maxPerContact: number | null;
            /** @enum {string} */
            target: "contact" | "company";
            active: boolean;
            decay: null;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        ScoringRuleList: {
            data: components["schemas"]["ScoringRule"][];
            page: components["schemas"]["Page"];
        };
        ScoringSettings: {
            warm: number;
            hot: number;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        Segment: {
            /** @example 1 */
            id: number;
            name: string;
            description: string | null;
            /**
             * @description By a filter, or by hand
             * @enum {string}
             */
            type: "dynamic" | "static";
            /** @description Of a dynamic one: who is in it */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            status: "BUILDING" | "READY";
            /** @description Contacts in it */
            count: number;
            /** @description Of a static list: a form that adds to it asks the contact to confirm its address first */
            doubleOptIn: boolean;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        SegmentList: {
            data: components["schemas"]["Segment"][];
            page: components["schemas"]["Page"];
        };
        SendEmailRequest: {
            /** @example 1 */
            templateId: number;
            /** @description A contact; this or `to` */
            recipientId?: number;
            /** @example someone@example.com */
            to?: string;
            /** @description What {{data.x}} prints */
            data?: {
                [key: string]: unknown;
            };
            /** @description A campaign whose figures it counts for */
            campaignId?: number;
        };
        Sender: {
            /** @example 1 */
            id: number;
            /**
             * @description The address that mail is from
             * @example news@example.com
             */
            email: string;
            /**
             * @description Shown beside the address where a template names none
             * @example Example News
             */
            name: string | null;
            /**
             * @description Where a template names none
             * @example help@example.com
             */
            replyTo: string | null;
            dkim: components["schemas"]["SenderDkim"] | null;
            /** @description Whether mail may be from the address: it is confirmed, or of a domain that a sender of the tenant has verified */
            verified: boolean;
            /**
             * Format: date-time
             * @description When the link that was mailed to the address was confirmed; of a sender that is older than these links and had no other tenant beside it, when the service was upgraded
             */
            confirmedAt: string | null;
            /**
             * @description The domain that the DKIM record has proved: any address of it, and below it, may be sent from
             * @example example.com
             */
            verifiedDomain: string | null;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        SenderDkim: {
            /**
             * @description Signs as this domain (d=): the one of the address, or one above it
             * @example example.com
             */
            domain: string;
            /** @example news2030 */
            selector: string;
            publicKey: string;
            /**
             * @description Publish a TXT record of this name
             * @example news2030._domainkey.example.com
             */
            dnsName: string;
            /**
             * @description that says this; a zone file has it in strings of up to 255 characters
             * @example v=DKIM1; k=rsa; p=MIIB
             */
            dnsValue: string;
            /**
             * Format: date-time
             * @description When it was seen in the DNS; null when it was not there at the last look
             */
            verifiedAt: string | null;
        };
        /** @description Mail of the sender is signed (RFC 6376). {} makes a key; another selector or private key replaces it; null removes it */
        SenderDkimRequest: {
            /**
             * @description Signs as this domain (d=): the one of the address, or one above it
             * @example example.com
             */
            domain?: string;
            /** @example news2030 */
            selector?: string;
            /** @description RSA, PEM; made here where it is absent. Never answered */
            privateKey?: string;
            readonly publicKey?: unknown;
            readonly dnsName?: unknown;
            readonly dnsValue?: unknown;
            readonly verifiedAt?: unknown;
        };
        SenderList: {
            data: components["schemas"]["Sender"][];
            page: components["schemas"]["Page"];
        };
        StartCampaignAnswer: {
            campaign: components["schemas"]["Campaign"];
            /** @example 1 */
            enrolmentId: number | null;
        };
        /** @description At most one of the three; none enrols no one */
        StartCampaignRequest: {
            /** @description For more contacts make a list */
            contactIds?: number[];
            /** @example 1 */
            segmentId?: number;
            /** @example 1 */
            listId?: number;
        };
        StartTotpAnswer: {
            /**
             * @description Base32, to be typed into an authenticator app
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description The same for a QR code
             * @example otpauth://totp/Perennial:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Perennial
             */
            otpauthUrl: string;
        };
        StartTotpRequest: {
            /** @example Correct-Horse-7 */
            currentPassword: string;
        };
        /**
         * @example {
         *       "id": "pause",
         *       "type": "WAIT",
         *       "config": {
         *         "waitMinutes": 1440
         *       }
         *     }
         */
        Step: {
            /** @description Unique in the campaign; made if absent */
            id?: string;
            /** @description EMAIL, WAIT, CONDITION, SEGMENT, EXIT */
            type: string;
            /** @description `EMAIL {templateId}` sends the template to the contact · `WAIT {waitMinutes}` (0 to 5,256,000), `{until}` (a date-time; past = at once) or `{untilLocalTime: {weekday?, time}}` (HH:MM in the contact's timezone, UTC where it has none; `weekday` is `monday` to `sunday`) · `CONDITION {if: <filter>, then?, branches?: [{if, next?}], else?}` goes to `then` if the filter holds, else to the `next` of the first branch whose filter does, else to `else`; a target left out is the following step, null the end · `SEGMENT {action: add|remove, listId}` puts the contact on a list or takes it off · `EXIT {}` stops the execution */
            config?: {
                [key: string]: unknown;
            };
            /** @description A step id; null = the end */
            next?: string | null;
        };
        Submission: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            formId: number;
            /** @example 1 */
            contactId: number | null;
            submissionData: {
                [key: string]: unknown;
            };
            ipAddress: string | null;
            userAgent: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            submittedAt: string;
        };
        SubmissionList: {
            data: components["schemas"]["Submission"][];
            page: components["schemas"]["Page"];
        };
        SubmitFormAnswer: {
            success: boolean;
            /** @example 1 */
            contactId: number | null;
            /** @example 1 */
            submissionId: number | null;
            message: string | null;
            redirectUrl: string | null;
        };
        /**
         * @example {
         *       "email": "someone@example.com"
         *     }
         */
        SubmitFormRequest: {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "topic": "1"
         *     }
         */
        SubmitPreferencesRequest: {
            /** @description The id of a topic that is wanted, once for each; what is no topic of ours is ignored */
            topic?: unknown;
            /** @description Given, nothing at all is wanted, as with `List-Unsubscribe=One-Click` */
            unsubscribe?: unknown;
        };
        Suppression: {
            /** @example 1 */
            id: number;
            /** @description The address as it is compared; null when it was erased */
            email: string | null;
            /**
             * @example manual
             * @enum {string}
             */
            reason: "unsubscribed" | "bounced" | "complained" | "manual";
            /** @description What it came by: api, import, email */
            source: string | null;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
        };
        SuppressionList: {
            data: components["schemas"]["Suppression"][];
            page: components["schemas"]["Page"];
        };
        Template: {
            /** @example 1 */
            id: number;
            /** @example Welcome */
            name: string;
            /** @example Hello {{firstName}} */
            subject: string;
            /**
             * @description HTML, or MJML, with Liquid
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content: string;
            /** @description The text part, with Liquid; made from the content when absent */
            text: string | null;
            /** @description What inboxes show beside the subject */
            previewText: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category: "marketing" | "transactional";
            /**
             * @description Marketing mail about a topic is not sent to who does not want it
             * @example 1
             */
            topicId: number | null;
            fromName: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a domain that one has verified; the default sender where it is null
             * @example someone@example.com
             */
            fromEmail: string | null;
            /** @example someone@example.com */
            replyTo: string | null;
            /** @description Rises with every change of what is sent */
            contentVersion: number;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        TemplateList: {
            data: components["schemas"]["Template"][];
            page: components["schemas"]["Page"];
        };
        TestTemplateRequest: {
            /** @example someone@example.com */
            to: string;
            /** @description What {{data.x}} prints */
            data?: {
                [key: string]: unknown;
            };
        };
        Topic: {
            /** @example 1 */
            id: number;
            /**
             * @description As recipients read it
             * @example Product news
             */
            name: string;
            /** @description What stands below the name on the preference page */
            description: string | null;
            tenantId: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        TopicList: {
            data: components["schemas"]["Topic"][];
            page: components["schemas"]["Page"];
        };
        Tracking: {
            /** @example 1 */
            emailId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
            opens: number;
            clicks: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            firstOpenedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastOpenedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            firstClickedAt: string | null;
            events: {
                /** @enum {string} */
                type: "OPEN" | "CLICK" | "UNSUBSCRIBE";
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                url: string | null;
                ip: string | null;
                userAgent: string | null;
                automated: boolean;
                first: boolean;
            }[];
        };
        /**
         * @description What makes contacts enter: `MANUAL` · `CONTACT_CREATED` · `FORM_SUBMITTED {formId}` · `EMAIL_OPENED {templateId?, campaignId?}` · `EMAIL_CLICKED {templateId?, campaignId?, url?}` · `SEGMENT_ENTERED {segmentId}` · `SCORE_REACHED {score}` · `SCHEDULE {cron, timezone, segmentId}` · `DATE {field, offsetDays, time, annual?}`. MANUAL is nothing but `start`
         * @example {
         *       "type": "FORM_SUBMITTED",
         *       "formId": 1
         *     }
         */
        Trigger: {
            /** @enum {unknown} */
            type: "MANUAL" | "CONTACT_CREATED" | "FORM_SUBMITTED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "SEGMENT_ENTERED" | "SCORE_REACHED" | "SCHEDULE" | "DATE";
            formId?: number;
            templateId?: number;
            campaignId?: number;
            url?: string;
            segmentId?: number;
            score?: number;
            /** @description Five cron fields: minute, hour, day of the month, month, day of the week */
            cron?: string;
            /** @description An IANA timezone */
            timezone?: string;
            /** @description A contact field of type date or date-time */
            field?: string;
            offsetDays?: number;
            /**
             * @description HH:MM
             * @example 09:00
             */
            time?: string;
            /** @description Every year; default false */
            annual?: boolean;
        };
        UpdateCampaignRequest: {
            /** @example Welcome */
            name?: string;
            description?: string | null;
            trigger?: components["schemas"]["Trigger"] | null;
            steps?: components["schemas"]["Step"][] | null;
            entry?: components["schemas"]["Entry"] | null;
            /** @description Of a prebuilt type, instead of steps: its 3, 5 or 2 templates in order */
            templateIds?: number[];
            readonly id?: unknown;
            readonly status?: unknown;
            readonly publishedVersion?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly type?: unknown;
        };
        UpdateCompanyRequest: {
            /** @example Example Ltd */
            name?: string;
            /** @example example.com */
            domain?: string | null;
            /** @example Software */
            industry?: string | null;
            employeeCount?: number | null;
            /** @example 1 Example Street */
            address?: string | null;
            customFields?: {
                [key: string]: unknown;
            } | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateContactRequest: {
            /** @example Ada */
            firstName?: string;
            /** @example Byron */
            lastName?: string;
            /** @example ada@example.com */
            email?: string;
            /** @example +44 20 7946 0958 */
            phone?: string | null;
            /** @example Engineer */
            jobTitle?: string | null;
            /** @example 1 */
            companyId?: number | null;
            /**
             * @description Only unsubscribed and archived can be set
             * @enum {string}
             */
            status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            /**
             * @example [
             *       "vip"
             *     ]
             */
            tags?: string[] | null;
            customFields?: {
                [key: string]: unknown;
            } | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            /** @example de-AT */
            locale?: string | null;
            /** @example fair */
            source?: string | null;
            /** @description The name of a company: found ignoring case, or created. Not together with companyId. An object, as reads have it, is accepted unchanged */
            company?: string | {
                [key: string]: unknown;
            } | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly phoneE164?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateCustomFieldRequest: {
            /** @description The values of an enum; of no other type */
            options?: string[] | null;
            description?: string | null;
            readonly id?: unknown;
            readonly entity?: unknown;
            readonly name?: unknown;
            readonly type?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateEmailCampaignRequest: {
            /** @example May newsletter */
            name?: string;
            /** @description Or `variants` */
            templateId?: number | null;
            /** @description Who gets it */
            segmentId?: number | null;
            /** @description The same, by its other name */
            listId?: number | null;
            /**
             * @description `recipient_local_time`: at the time of day that `scheduledAt` is in `timezone`, wherever the recipient is
             * @enum {string|null}
             */
            scheduleType?: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt?: string | null;
            /**
             * @description Five fields, of a recurring one
             * @example 0 9 * * 1
             */
            cron?: string | null;
            /**
             * @description Of `cron` and of the local time; UTC where absent
             * @example Europe/Berlin
             */
            timezone?: string | null;
            ratePerMinute?: number | null;
            /**
             * @description What is compared, instead of `templateId`
             * @example [
             *       {
             *         "name": "A",
             *         "templateId": 1,
             *         "weight": 50
             *       },
             *       {
             *         "name": "B",
             *         "templateId": 2,
             *         "weight": 50
             *       }
             *     ]
             */
            variants?: {
                /** @example A */
                name: string;
                /** @example 1 */
                templateId: number;
                /** @example 50 */
                weight: number;
            }[] | null;
            winner?: {
                /**
                 * @description People who opened, or clicked, of those it was delivered to; `opens` is `openRate`, `clicks` is `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from the end of the test's delivery */
                afterMinutes: number;
                /** @description Of the audience; the others get what won */
                testPercent: number;
            } | null;
            readonly id?: unknown;
            readonly status?: unknown;
            readonly error?: unknown;
            readonly winnerVariant?: unknown;
            readonly nextRunAt?: unknown;
            readonly startedAt?: unknown;
            readonly finishedAt?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateEmailSettingsRequest: {
            frequencyCap?: {
                maxEmails: number;
                perDays: number;
            } | null;
            sendWindow?: {
                /** @description Every day where absent */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM up to 24:00, exclusive
                 * @example 17:00
                 */
                to: string;
                /**
                 * @description An IANA timezone, or `contact` for the contact's own
                 * @example Europe/Berlin
                 */
                timezone: string;
            } | null;
            readonly version?: unknown;
        };
        UpdateFormRequest: {
            name?: string;
            fields?: {
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "consent" | "rating";
                id?: number;
                /** @description The field for the email address always is */
                required?: boolean;
                placeholder?: string | null;
                defaultValue?: string | null;
                displayOrder?: number;
                /** @description For the whole text, in RE2 syntax; without maxLength the text has at most 1000 characters */
                validationRegex?: string | null;
                minLength?: number | null;
                maxLength?: number | null;
                options?: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; a field named like a contact field fills that by itself */
                mapTo?: string | null;
            }[];
            description?: string | null;
            /** @enum {string} */
            status?: "DRAFT" | "ACTIVE" | "ARCHIVED";
            successMessage?: string | null;
            redirectUrl?: string | null;
            submitLabel?: string | null;
            /** @example 1 */
            listId?: number | null;
            allowedOrigins?: string[] | null;
            /** @enum {string|null} */
            updateExisting?: "fillEmpty" | "overwrite" | null;
            /** @description A new contact is `pending` until it confirms its address by the link of a mail */
            doubleOptIn?: boolean;
            /** @constant */
            enableProgressiveProfiling?: false;
            /** @constant */
            enableCaptcha?: false;
            notifyEmails?: string[];
            progressiveFields?: string[];
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateProfileRequest: {
            /** @example Ada */
            firstName?: string;
            /** @example Byron */
            lastName?: string;
            /** @example ada@example.com */
            email?: string;
            /** @example Correct-Horse-7 */
            currentPassword?: string;
            readonly id?: unknown;
            readonly username?: unknown;
            readonly tenantId?: unknown;
            readonly active?: unknown;
            readonly emailVerified?: unknown;
            readonly roles?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateRoleRequest: {
            /** @example Editor */
            name?: string;
            description?: string | null;
            /**
             * @description Names of permissions, within your own
             * @example [
             *       "contacts:read",
             *       "contacts:write"
             *     ]
             */
            permissions?: string[];
            readonly id?: unknown;
            readonly builtIn?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateScoreThresholdRequest: {
            name?: string;
            score?: number;
            action?: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
            } & (unknown & unknown);
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly triggered?: unknown;
            readonly triggeredCount?: unknown;
        };
        UpdateScoringRuleRequest: {
            /** @example Email opened */
            name?: string;
            /** @enum {string} */
            eventType?: "CONTACT_CREATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "FORM_SUBMITTED" | "CAMPAIGN_COMPLETED" | "WEBSITE_VISITED";
            /** @example 5 */
            points?: number;
            category?: string | null;
            weight?: number;
            conditions?: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[];
            /** @description Most points that the rule gives one contact */
            maxPerContact?: number | null;
            /** @enum {string} */
            target?: "contact" | "company";
            active?: boolean;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly decay?: unknown;
        };
        UpdateScoringSettingsRequest: {
            warm?: number;
            hot?: number;
            readonly version?: unknown;
        };
        UpdateSegmentRequest: {
            /** @example Active customers */
            name?: string;
            description?: string | null;
            /** @description Of a static list: a form that adds to it asks the contact to confirm its address first */
            doubleOptIn?: boolean;
            filter?: {
                [key: string]: unknown;
            } | null;
            readonly id?: unknown;
            readonly type?: unknown;
            readonly status?: unknown;
            readonly count?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateSenderRequest: {
            /**
             * @description The address that mail is from
             * @example news@example.com
             */
            email?: string;
            /**
             * @description Shown beside the address where a template names none
             * @example Example News
             */
            name?: string | null;
            /**
             * @description Where a template names none
             * @example help@example.com
             */
            replyTo?: string | null;
            dkim?: components["schemas"]["SenderDkimRequest"] | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly verified?: unknown;
            readonly confirmedAt?: unknown;
            readonly verifiedDomain?: unknown;
        };
        UpdateTemplateRequest: {
            /** @example Welcome */
            name?: string;
            /** @example Hello {{firstName}} */
            subject?: string;
            /**
             * @description HTML, or MJML, with Liquid
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content?: string;
            /** @description The text part, with Liquid; made from the content when absent */
            text?: string | null;
            /** @description What inboxes show beside the subject */
            previewText?: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing mail about a topic is not sent to who does not want it
             * @example 1
             */
            topicId?: number | null;
            fromName?: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a domain that one has verified; the default sender where it is null
             * @example someone@example.com
             */
            fromEmail?: string | null;
            /** @example someone@example.com */
            replyTo?: string | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly contentVersion?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateTopicRequest: {
            /**
             * @description As recipients read it
             * @example Product news
             */
            name?: string;
            /** @description What stands below the name on the preference page */
            description?: string | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateUserRequest: {
            /** @description False ends all sessions of the user at once */
            active?: boolean;
            /** @description Names of roles */
            roles?: string[];
            readonly id?: unknown;
            readonly username?: unknown;
            readonly email?: unknown;
            readonly firstName?: unknown;
            readonly lastName?: unknown;
            readonly tenantId?: unknown;
            readonly emailVerified?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        User: {
            /** @example 1 */
            id: number;
            /** @example ada */
            username: string;
            /** @example ada@example.com */
            email: string;
            /** @example Ada */
            firstName: string;
            /** @example Byron */
            lastName: string;
            /** @example default */
            tenantId: string;
            active: boolean;
            emailVerified: boolean;
            roles: string[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /** @description For concurrency only; the ETag of reads */
            version: number;
        };
        UserList: {
            data: components["schemas"]["User"][];
            page: components["schemas"]["Page"];
        };
        VerifyEmailRequest: {
            /**
             * @description From the link of the mail
             * @example B2RlZmF1bHQ
             */
            token: string;
        };
        Violation: {
            /** @description JSON Pointer into the request part */
            path: string;
            code: string;
            message: string;
        };
        WebhookReceipt: {
            /** @description How many were about our mails */
            reports: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getAuthHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getContactsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getEmailsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getCampaignsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getFormsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getScoringHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getAnalyticsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description UP or DEGRADED */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getAsyncapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An AsyncAPI 3 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Logged out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateProfileRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotPasswordRequest"];
            };
        };
        responses: {
            /** @description Taken; whoever has the address gets a mail */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description Set */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyEmailRequest"];
            };
        };
        responses: {
            /** @description Confirmed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotPasswordRequest"];
            };
        };
        responses: {
            /** @description Taken; whoever has the address gets a mail */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    startTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartTotpRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartTotpAnswer"];
                };
            };
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RemoveTotpRequest"];
            };
        };
        responses: {
            /** @description Off */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmTotpRequest"];
            };
        };
        responses: {
            /** @description From now on a login needs a code */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "username" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-username" | "-email" | "-lastName";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                active?: boolean;
                role?: string;
                /** @description Part of a username, an address or a name */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    removeUserTotp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description TOTP is off */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "-id";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                action?: "user.registered" | "user.logged_in" | "user.login_failed" | "user.login_locked" | "user.logged_out" | "user.token_reused" | "user.password_changed" | "user.password_reset" | "user.email_changed" | "user.email_verified" | "user.totp_enabled" | "user.totp_disabled" | "user.updated" | "role.created" | "role.updated" | "role.deleted" | "invitation.created" | "invitation.revoked" | "invitation.accepted" | "api_key.created" | "api_key.deleted" | "scoring_settings.updated" | "scoring_rule.deleted" | "scoring_threshold.created" | "scoring_threshold.updated" | "scoring_threshold.deleted" | "campaign.started" | "campaign.stopped" | "campaign.paused" | "campaign.resumed" | "campaign.deleted" | "email_campaign.started" | "email_campaign.paused" | "email_campaign.resumed" | "email_campaign.cancelled" | "email_campaign.deleted" | "email_settings.updated" | "email_template.deleted" | "email_topic.deleted" | "suppression.created" | "suppression.deleted" | "segment.deleted" | "form.deleted" | "custom_field.deleted" | "company.deleted" | "contact.deleted" | "contact.merged" | "contact.exported" | "contact.erasure_requested" | "contact.data_exported" | "email_sender.created" | "email_sender.updated" | "email_sender.confirmed" | "email_sender.domain_verified" | "email_sender.domain_lost" | "email_sender.deleted" | "contact_import.started" | "contact_import.cancelled" | "contact_import.undo_requested";
                actorType?: "user" | "api_key" | "anonymous" | "system";
                actorId?: number;
                resourceType?: string;
                resourceId?: string;
                atAfter?: string;
                atBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleList"];
                };
            };
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRoleRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateRoleRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionList"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "expiresAt" | "-id" | "-createdAt" | "-expiresAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "OPEN" | "ACCEPTED" | "EXPIRED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvitationRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                companyId?: number;
                segmentId?: number;
                listId?: number;
                tag?: string;
                /** @description The whole address, ignoring case */
                email?: string;
                createdAfter?: string;
                createdBefore?: string;
                updatedAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContactRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    searchContacts: {
        parameters: {
            query: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "relevance" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName" | "-relevance";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                /** @description Part of a name, an address or a company name */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
        };
    };
    getContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    updateContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateContactRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    deleteContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listContactActivities: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "occurredAt" | "-id" | "-occurredAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityList"];
                };
            };
        };
    };
    batchContacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchContactsAnswer"];
                };
            };
        };
    };
    listCompanies: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                /** @description The whole name, ignoring case */
                name?: string;
                domain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyList"];
                };
            };
        };
    };
    createCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCompanyRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
        };
    };
    getCompany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
        };
    };
    updateCompany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCompanyRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
        };
    };
    deleteCompany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listCompanyContacts: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
        };
    };
    listCustomFields: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                entity?: "contact" | "company";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomFieldList"];
                };
            };
        };
    };
    createCustomField: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCustomFieldRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"];
                };
            };
        };
    };
    getCustomField: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"];
                };
            };
        };
    };
    updateCustomField: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCustomFieldRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"];
                };
            };
        };
    };
    deleteCustomField: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    eraseContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    exportContactData: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldData"];
                };
            };
        };
    };
    listErasures: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
                contactId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureList"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    exportContacts: {
        parameters: {
            query?: {
                format?: "csv" | "json" | "ndjson" | "xlsx";
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                companyId?: number;
                segmentId?: number;
                listId?: number;
                tag?: string;
                /** @description The whole address, ignoring case */
                email?: string;
                createdAfter?: string;
                createdBefore?: string;
                updatedAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contacts, as `format` says */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportContactsAnswer"];
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Blob;
                };
            };
        };
    };
    importContacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ImportContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "UNDONE";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportList"];
                };
            };
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    getImportErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description row, column, code, message, then the row as it came */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    undoImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    listImportKept: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "-id";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListImportKeptItemList"];
                };
            };
        };
    };
    mergeContacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
        };
    };
    listSegments: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                /** @description By a filter, or by hand */
                type?: "dynamic" | "static";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentList"];
                };
            };
        };
    };
    createSegment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSegmentRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    listLists: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentList"];
                };
            };
        };
    };
    createList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateListRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    previewSegment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewSegmentRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewSegmentAnswer"];
                };
            };
        };
    };
    getSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    updateSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateSegmentRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    deleteSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSegmentContacts: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
        };
    };
    addSegmentContacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSegmentContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddSegmentContactsAnswer"];
                };
            };
        };
    };
    removeSegmentContacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSegmentContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveSegmentContactsAnswer"];
                };
            };
        };
    };
    rebuildSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildSegmentAnswer"];
                };
            };
            /** @description It was BUILDING: that is begun anew */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    getList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    updateList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateSegmentRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    deleteList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listListContacts: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
        };
    };
    addListContacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSegmentContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddSegmentContactsAnswer"];
                };
            };
        };
    };
    removeListContacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSegmentContactsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveSegmentContactsAnswer"];
                };
            };
        };
    };
    rebuildList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildSegmentAnswer"];
                };
            };
            /** @description It was BUILDING: that is begun anew */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
        };
    };
    listContactSegments: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                /** @description Lists every dynamic segment, in it or not, and says why */
                explain?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListContactSegmentsItemList"];
                };
            };
        };
    };
    sendEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendEmailRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedEmail"];
                };
            };
        };
    };
    listEmails: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                contactId?: number;
                campaignId?: number;
                status?: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
                externalId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailList"];
                };
            };
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
        };
    };
    explainEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainEmailAnswer"];
                };
            };
        };
    };
    explainContactEmails: {
        parameters: {
            query?: {
                /** @description Of either kind; without one, of all mail to the contact */
                campaignId?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainContactEmailsAnswer"];
                };
            };
        };
    };
    resolveEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveEmailRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
        };
    };
    listEmailCampaigns: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "DRAFT" | "SCHEDULED" | "SENDING" | "PAUSED" | "SENT" | "CANCELLED" | "FAILED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaignList"];
                };
            };
        };
    };
    createEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEmailCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    getEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    updateEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateEmailCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    deleteEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    sendEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    pauseEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    resumeEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    cancelEmailCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaign"];
                };
            };
        };
    };
    getEmailCampaignStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailCampaignStats"];
                };
            };
        };
    };
    listEmailCampaignRecipients: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "-id";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
                contactId?: number;
                variant?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEmailCampaignRecipientsItemList"];
                };
            };
        };
    };
    getEmailSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailSettings"];
                };
            };
        };
    };
    updateEmailSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateEmailSettingsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailSettings"];
                };
            };
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                email?: string;
                reason?: "unsubscribed" | "bounced" | "complained" | "manual";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionList"];
                };
            };
        };
    };
    createSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSuppressionRequest"];
            };
        };
        responses: {
            /** @description It was suppressed before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    getSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                /** @description Transactional mail passes unsubscribes */
                category?: "marketing" | "transactional";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PreviewTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewTemplateAnswer"];
                };
            };
        };
    };
    testTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedEmail"];
                };
            };
        };
    };
    listTopics: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicList"];
                };
            };
        };
    };
    createTopic: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTopicRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    getTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    updateTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateTopicRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
        };
    };
    deleteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getTracking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tracking"];
                };
            };
        };
    };
    listSenders: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SenderList"];
                };
            };
        };
    };
    createSender: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSenderRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sender"];
                };
            };
        };
    };
    getSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sender"];
                };
            };
        };
    };
    updateSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateSenderRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sender"];
                };
            };
        };
    };
    deleteSender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    requestSenderConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedEmail"];
                };
            };
        };
    };
    verifySender: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sender"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    receiveWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "DRAFT" | "ACTIVE" | "PAUSED" | "STOPPED" | "ARCHIVED";
                type?: "CUSTOM" | "WELCOME_SERIES" | "NURTURE" | "RE_ENGAGEMENT";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignList"];
                };
            };
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    getCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    updateCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    deleteCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    startCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartCampaignAnswer"];
                };
            };
        };
    };
    stopCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    pauseCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    resumeCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Campaign"];
                };
            };
        };
    };
    getCampaignStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignStats"];
                };
            };
        };
    };
    listCampaignExecutions: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "-id";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "RUNNING" | "STOPPED" | "COMPLETED" | "FAILED";
                contactId?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
        };
    };
    explainCampaignContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                contactId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainCampaignContactAnswer"];
                };
            };
        };
    };
    getCampaignEnrolment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
        };
    };
    getCampaignExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionWithSteps"];
                };
            };
        };
    };
    stopCampaignExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    retryCampaignExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    listForms: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                status?: "DRAFT" | "ACTIVE" | "ARCHIVED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormList"];
                };
            };
        };
    };
    createForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFormRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Form"];
                };
            };
        };
    };
    getForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Form"];
                };
            };
        };
    };
    updateForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateFormRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Form"];
                };
            };
        };
    };
    deleteForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getFormEmbed: {
        parameters: {
            query?: {
                type?: "javascript" | "iframe" | "html";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormEmbed"];
                };
            };
        };
    };
    getFormStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormStats"];
                };
            };
        };
    };
    listFormSubmissions: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "submittedAt" | "-id" | "-submittedAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                contactId?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmissionList"];
                };
            };
        };
    };
    getFormFields: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormFields"];
                };
            };
        };
    };
    getFormToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormToken"];
                };
            };
        };
    };
    submitForm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitFormRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["SubmitFormRequest"];
                "multipart/form-data": components["schemas"]["SubmitFormRequest"];
            };
        };
        responses: {
            /** @description Taken; a browser gets a page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitFormAnswer"];
                    "text/html": string;
                };
            };
        };
    };
    listScoringRules: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
                eventType?: string;
                active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringRuleList"];
                };
            };
        };
    };
    createScoringRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateScoringRuleRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringRule"];
                };
            };
        };
    };
    getScoringRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringRule"];
                };
            };
        };
    };
    updateScoringRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateScoringRuleRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringRule"];
                };
            };
        };
    };
    deleteScoringRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getContactScore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactScore"];
                };
            };
        };
    };
    getContactScoreAlias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactScore"];
                };
            };
        };
    };
    getCompanyScore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompanyScore"];
                };
            };
        };
    };
    getLeaderboard: {
        parameters: {
            query?: {
                type?: "contacts" | "companies";
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leaderboard"];
                };
            };
        };
    };
    recordScoringEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordScoringEventRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordScoringEventAnswer"];
                };
            };
        };
    };
    listScoreThresholds: {
        parameters: {
            query?: {
                /** @description How many at most */
                limit?: number;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description By which field; `-` turns it round */
                sort?: "id" | "name" | "score" | "createdAt" | "-id" | "-name" | "-score" | "-createdAt";
                /** @description Whether `page.total` counts them all */
                includeTotal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreThresholdList"];
                };
            };
        };
    };
    createScoreThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateScoreThresholdRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreThreshold"];
                };
            };
        };
    };
    getScoreThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreThreshold"];
                };
            };
        };
    };
    updateScoreThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateScoreThresholdRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreThreshold"];
                };
            };
        };
    };
    deleteScoreThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getScoringSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringSettings"];
                };
            };
        };
    };
    updateScoringSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateScoringSettingsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringSettings"];
                };
            };
        };
    };
    getDashboard: {
        parameters: {
            query?: {
                /** @description Inclusive; from the beginning of its 5-minute window */
                from?: string;
                /** @description Exclusive; to the end of its 5-minute window */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    getEmailsAnalytics: {
        parameters: {
            query?: {
                /** @description Inclusive; from the beginning of its 5-minute window */
                from?: string;
                /** @description Exclusive; to the end of its 5-minute window */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailsAnalytics"];
                };
            };
        };
    };
    getContactsAnalytics: {
        parameters: {
            query?: {
                /** @description Inclusive; from the beginning of its 5-minute window */
                from?: string;
                /** @description Exclusive; to the end of its 5-minute window */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactsAnalytics"];
                };
            };
        };
    };
    getCampaignsAnalytics: {
        parameters: {
            query?: {
                /** @description Inclusive; from the beginning of its 5-minute window */
                from?: string;
                /** @description Exclusive; to the end of its 5-minute window */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignsAnalytics"];
                };
            };
        };
    };
    getFormsAnalytics: {
        parameters: {
            query?: {
                /** @description Inclusive; from the beginning of its 5-minute window */
                from?: string;
                /** @description Exclusive; to the end of its 5-minute window */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormsAnalytics"];
                };
            };
        };
    };
}
