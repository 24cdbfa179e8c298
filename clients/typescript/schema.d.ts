// Made by `npm run clients`: do not change it here.
export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of all components
         * @description Every component, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area auth
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area contacts
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
        get: operations["getContactsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the area segments
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
        get: operations["getSegmentsHealth"];
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
        /**
         * Health of the area emails
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area campaigns
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area forms
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area scoring
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
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
        /**
         * Health of the area analytics
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
        get: operations["getAnalyticsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the area channels
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
        get: operations["getChannelsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the area webhooks
         * @description Only the components that the area needs, each UP, DEGRADED (works with restrictions) or DOWN, and `status` is the worst of them. 503 with `Retry-After` if that is DOWN. Each is checked at most once a second, so it may be polled.
         */
        get: operations["getWebhooksHealth"];
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
        /**
         * OpenAPI 3.1 document of this API
         * @description Made from the schemas that validate requests, so it says what this release of the service accepts and answers. The same for every caller.
         */
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
        /**
         * AsyncAPI 3 document of the events
         * @description The events that the service publishes on NATS: their subjects, streams and fields. `/docs/events` shows it as a page.
         */
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
        /**
         * Register a user
         * @description Creates the account and logs nobody in. In a service with one tenant, the first user becomes Admin and others get the role User; with `ENABLE_MULTI_TENANT`, each registration creates a tenant with this user as its Admin. 403 `registration_disabled` unless `ENABLE_REGISTRATION` is set. With `ENABLE_EMAIL_VERIFICATION` the user cannot log in before confirming the address.
         */
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
        /**
         * Log in
         * @description `username` may be the email address. An account with TOTP needs `totp` too. After ten failures within 15 minutes a name is locked for the client address, and after 100 for everybody: 429, whether or not the name exists.
         */
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
         * @description A refresh token can be used once. Using it a second time ends its session.
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
        /**
         * Log out: the tokens of the session stop working immediately
         * @description Ends this session only: its access token and its refresh token stop working in all API processes. Other sessions of the user go on.
         */
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
        /**
         * Get the caller's profile
         * @description The user who is logged in. API keys have no profile and are refused.
         */
        get: operations["getProfile"];
        /**
         * Change the caller's profile
         * @description Changing the email requires `currentPassword`. A username that equals the email changes with it.
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
        /**
         * Change the caller's password; ends all other sessions
         * @description This session goes on. A wrong `currentPassword` is a 400 and counts as a failed login; while the name is locked, the answer is 429.
         */
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
         * Request an email to set a new password
         * @description The response and its timing are the same whether or not a user has the address. A user gets at most five of these emails per hour.
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
         * Set a new password with the token from the email
         * @description A token can be used once, within an hour. Ends all sessions of the user.
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
         * Confirm an address with the token from the email
         * @description A token can be used once, within 24 hours.
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
         * Request another email to confirm an address
         * @description The response and its timing are the same whether or not a user has the address. A user gets at most five of these emails per hour.
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
         * Create a TOTP secret for an authenticator app
         * @description The secret takes effect when `POST /auth/totp/confirm` receives a valid code for it. It replaces an earlier secret that was not confirmed.
         */
        post: operations["startTotp"];
        /**
         * Turn off TOTP, with a code or the password
         * @description Takes exactly one of `totp` and `currentPassword`; a wrong one counts as a failed login. Also discards a secret that was never confirmed. 409 `conflict` if there is none.
         */
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
        /**
         * Turn on TOTP with a first code
         * @description The code must be of the secret from `POST /auth/totp`. From then on, logins need a code. 400 for a wrong code, 409 `conflict` if there is no secret to confirm.
         */
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
        /**
         * List users
         * @description The users of the account, disabled ones too. `q` finds a part of a username, an address or a name.
         *
         *     Permission: `users:read`.
         */
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
        /**
         * Get a user
         * @description Also a disabled user. `roles` are names; `GET /auth/roles` has their permissions.
         *
         *     Permission: `users:read`.
         */
        get: operations["getUser"];
        /**
         * Enable or disable a user, or change the roles of the user
         * @description Callers can neither grant nor revoke permissions that they do not have, and can neither disable nor demote themselves. The tenant always keeps an Admin.
         *
         *     Permission: `users:write`.
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
         * Turn off a user's TOTP
         * @description For a user who has lost the authenticator. Ends all sessions of the user; logins then require only the password.
         *
         *     Permission: `users:write`.
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
        /**
         * List audit log entries: who changed what
         * @description Each entry says who did what, when, from which address and in which request, with the changed fields before and after. Filter by action, actor, resource and time. Entries cannot be changed.
         *
         *     Permission: `audit-log:read`.
         */
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
        /**
         * List roles
         * @description The built-in roles Admin and User, which cannot be changed, and those of the account.
         *
         *     Permission: `roles:read`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description A caller can give only permissions that the caller has: others are a 403, unknown ones a 400. `GET /auth/permissions` lists all. Users get the role with `PUT /auth/users/{id}`. 409 `name_taken` if there is a role of this name.
         *
         *     Permission: `roles:write`.
         */
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
        /**
         * Get a role
         * @description With the names of its permissions. A role that is `builtIn` cannot be changed or deleted.
         *
         *     Permission: `roles:read`.
         */
        get: operations["getRole"];
        /**
         * Change a role; applies to all users who have it
         * @description `permissions` replaces the whole list. A new name is the role's name for its users and invitations too. Admin and User cannot be changed: 409 `conflict`.
         *
         *     Permission: `roles:write`.
         */
        put: operations["updateRole"];
        post?: never;
        /**
         * Delete a role that is not in use
         * @description 409 `in_use`, with their names, while users or open invitations have the role. Admin and User cannot be deleted: 409 `conflict`.
         *
         *     Permission: `roles:write`.
         */
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
        /**
         * List all permissions that a role can have
         * @description The names that roles and API keys take, `resource:action`, and what each allows. `x-permission` of an operation in the OpenAPI document is the one that its callers need.
         *
         *     Permission: `roles:read`.
         */
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
        /**
         * List invitations
         * @description OPEN ones, and those that were ACCEPTED or EXPIRED.
         *
         *     Permission: `users:read`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user by email
         * @description The link in the email can be used once, within 7 days. Inviting an address again invalidates the earlier link. Invitations to an address are rate limited across all tenants: bursts of five, then one every twelve minutes.
         *
         *     Permission: `users:write`.
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
        /**
         * Get an invitation
         * @description Its token is in the email only.
         *
         *     Permission: `users:read`.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description The link in the email stops working. 409 `conflict` if the invitation was accepted: then disable the user.
         *
         *     Permission: `users:write`.
         */
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
        /**
         * Accept an invitation and create the user account
         * @description Creates the user with the roles of the invitation, also where registration is disabled; the address needs no other confirmation. Logs nobody in. A token that was used, revoked or expired is a 400 `token_invalid`.
         */
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
        /**
         * List API keys
         * @description All keys of the account, with who created each and when it was last used; the keys themselves cannot be read again.
         *
         *     Permission: `api-keys:read`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; the key itself is returned only once
         * @description Send the key as a Bearer token. Its effective permissions are those that both the key and its creator have, and none while the creator is disabled.
         *
         *     Permission: `api-keys:write`.
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
        /**
         * Get an API key, without the key itself
         * @description The key itself is only in the answer to its creation.
         *
         *     Permission: `api-keys:read`.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Delete an API key; it stops working immediately
         * @description Requests with the key get 401 from now on, in all API processes. 403 for a key with permissions that the caller lacks.
         *
         *     Permission: `api-keys:write`.
         */
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
        /**
         * List contacts
         * @description Filters are combined: a contact must meet all. `segmentId` and `listId` are the same filter. To find somebody by a part of a name use `GET /contacts/search`; to read all contacts, `GET /contacts/export`.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listContacts"];
        put?: never;
        /**
         * Create a contact
         * @description An address belongs to one contact, ignoring case: 409 `email_taken`; `POST /contacts/batch` creates or updates. `company` is a name, which is found or created; `companyId` is an id; both together are a 400. If the address is suppressed, the contact gets the matching status. The event CONTACT_CREATED may start campaigns.
         *
         *     Permission: `contacts:write`.
         */
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
         * @description Results are ranked: exact matches of a name or address first, then matches at the beginning, then matches anywhere, then matches of the company name. If more than 10,000 contacts match, the results are not ranked.
         *
         *     Permission: `contacts:read`.
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
        /**
         * Get a contact
         * @description `phone` is as it was given; `phoneE164` is derived from it, and null if it cannot be parsed. `company` is the contact's only company.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getContact"];
        /**
         * Change a contact
         * @description `tags` replaces all tags, `customFields` are merged by key. `status` can be set to `unsubscribed` and `archived`; only a confirmed opt-in, or deleting the suppression, makes a contact `active` again. What changes nothing writes nothing and no event.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateContact"];
        post?: never;
        /**
         * Delete a contact
         * @description Deletes its activities, memberships and scores too, ends its journeys, and suppresses its QUEUED emails and messages. A suppression of its address stays. To remove a person from everything, emails and events included, use `POST /contacts/{id}/erase`. 409 `conflict` while the contact is being erased.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * List the activities of a contact
         * @description What happened to the contact, as events: `type` is the type of the event, `data` its fields.
         *
         *     Permission: `contacts:read`.
         */
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
         * Create or update up to 1,000 contacts, matched by email address
         * @description Rows are processed in order, like single requests: if two rows have the same address, the second updates the contact of the first, so the later one wins. A rejected row returns its errors and does not affect the others; the response is always 200. The response lists at most 10,000 errors, shared equally among the rows: ten per row for 1,000 rows.
         *
         *     Permission: `contacts:write`.
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
        /**
         * List companies
         * @description Companies with their own fields; `GET /contacts/companies/{id}/contacts` lists who belongs to one.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listCompanies"];
        put?: never;
        /**
         * Create a company
         * @description Names need not be unique. A contact joins with `companyId`, or with the name in `company`.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * Get a company
         * @description The company itself, without its contacts.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getCompany"];
        /**
         * Change a company
         * @description `customFields` are merged by key. Segments with conditions on the company follow.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateCompany"];
        post?: never;
        /**
         * Delete a company; its contacts are not deleted
         * @description Its contacts remain, without a company.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * List the contacts of a company
         * @description The contacts that belong to the company now.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * List custom field definitions
         * @description Those of contacts and of companies. They are used as `customFields.x` in filters, imports, forms and templates.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listCustomFields"];
        put?: never;
        /**
         * Define a custom field of contacts or companies
         * @description From then on values of this name are accepted, and must have its `type`. Type `enum` needs `options`. A column of an import with this name fills it. 409 `name_taken` if the entity has such a field.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * Get the definition of a custom field
         * @description The definition only; values are in `customFields` of contacts and companies.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getCustomField"];
        /**
         * Change the definition of a custom field
         * @description `entity`, `name` and `type` cannot be changed. Stored values whose option is removed stay until they are changed.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateCustomField"];
        post?: never;
        /**
         * Delete a custom field and its values
         * @description Responds when all values are deleted; for a million values this takes about a minute. Values are deleted in batches. If the deletion is interrupted, creating a field with the same name deletes the remaining values first.
         *
         *     Permission: `contacts:write`.
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
         * @description Erases all personal data of the contact, including events in the stream and histories; aggregated figures stay. A hash of the address stays, so that imports reject the address. While the erasure is in progress, repeating the request returns the same erasure.
         *
         *     Permission: `erasure:write`.
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
         * Export all data stored about a person
         * @description For access requests (Article 15 GDPR): all data by kind, oldest first. Each export is recorded in the audit log.
         *
         *     Permission: `contacts:read`.
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
        /**
         * List erasures
         * @description All erasures of the account, in progress and completed.
         *
         *     Permission: `erasure:read`.
         */
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
        /**
         * Get an erasure, with its certificate once it is completed
         * @description Poll it until it is completed. The certificate says how much of what kind was erased.
         *
         *     Permission: `erasure:read`.
         */
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
         * @description Streamed in id order. Headers and keys are API field names. In csv and xlsx, the company is its name, tags are separated by semicolons, and custom fields are columns `customFields.x`. In csv, text that begins with = + - @, a tab or a carriage return (including `phone`, not `phoneE164`) is prefixed with an apostrophe, so that spreadsheets do not run it as a formula; imports remove the apostrophe. Cells of xlsx have types and need none. xlsx supports at most 200,000 contacts.
         *
         *     Permission: `contacts:read`.
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
        /**
         * Import contacts from a CSV file
         * @description Reads exports as other programs write them, without a `mapping` in most cases.
         *
         *     **Columns**: the header of a column may be the name of its field in any spelling (`firstName`, `first_name`, `First Name`), the name of a custom field, or what mailing services, CRMs, address books and spreadsheets call the field in common languages (`Email Address`, `Nachname`, `Prénom`, `メールアドレス`). Only an email column is required. Others are ignored, and listed in `ignoredColumns`. A file of addresses alone needs no header.
         *
         *     **Status**: a column `status` takes `active`, `pending`, `archived`, `unsubscribed`, `bounced` and `complained`, and the words of other programs for them (`cleaned`, `Subscribed`). Columns such as `Email Opt Out`, `Unsubscribed` or `UNSUB_TIME` opt the address out, which suppresses it, with mode `update` also without a contact. An import never makes a contact active again. Of several columns about consent, and of several rows of an address that are not rejected, the strictest counts. A column that is not imported although its name speaks of consent is a warning.
         *
         *     **Cells**: an empty cell leaves the value unchanged. Tags are separated by `,` or `;`; a tag with a separator in it is quoted. Tabs and line breaks in a name become spaces. Dates of custom fields may be written as spreadsheets do (`31.12.2025`, `12/31/2025`), if the column has dates from which the order is clear; booleans as `yes`, `Y`, `x`, `on`, `1`, `TRUE`. When somebody signed up elsewhere is no field of a contact (`createdAt` is when it was made here): define a custom field of type `date` for it, by which segments can choose (`withinLastDays`). Of several columns with addresses or telephone numbers, the first that is not empty counts. Within a file, the last row of an address counts, except for its status.
         *
         *     If every row is rejected, the import is FAILED and `error` tells why.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * List imports
         * @description Dry runs and undone imports too.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * Get an import and its progress
         * @description Always `created + updated + unchanged + duplicates + rejected = processedRows`. `ignoredColumns` are those that match no field. While it is being undone, `undo` tells the progress.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * Download the rejected rows as CSV
         * @description One line per rejected row: `row,column,code,message`, where several errors are separated by `; `, then the cells as they came.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * Cancel an import; rows already imported stay
         * @description What is not imported yet is left out. 409 `conflict` if the import has ended.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * Undo an import: remove what it created and restore what it changed, unless changed since
         * @description Runs in the background until `status` is UNDONE; `GET /contacts/imports/{id}/kept` lists whom it left alone. 409 `conflict` while the import is running, after a dry run, and if it is undone or being undone.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * List contacts that the undo of an import left as they are
         * @description Each with the reason. Who is on this list is unchanged by the undo.
         *
         *     Permission: `contacts:read`.
         */
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
         * @description The target (`id`) keeps its id, address and values. Empty fields are filled from the source (`sourceId`); tags and custom fields are combined; the stricter status wins. The source's activities, scores, lists, emails, submissions and executions move to the target, and the source is deleted. If both are in the same campaign, the source's execution is stopped (`merged`).
         *
         *     Permission: `contacts:write`.
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
        /**
         * List segments and lists
         * @description Both kinds; `type` tells which. `count` is the number of contacts in each.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listSegments"];
        put?: never;
        /**
         * Create a dynamic segment or a static list
         * @description `dynamic` needs `filter`, whose matches become its members in the background: `status` is BUILDING, then READY. `static` takes `contactIds`. Creating one starts no campaigns; who enters or leaves it later may. Mistakes in the filter are a 400 with the path into its tree.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * List static lists
         * @description Only static lists; `GET /contacts/segments` has both kinds.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listLists"];
        put?: never;
        /**
         * Create a static list
         * @description A segment of type `static`: its members are those of `contactIds`, and those who are added later by this API, forms, imports and journeys. Adding members on creation starts no campaigns.
         *
         *     Permission: `contacts:write`.
         */
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
        /**
         * Preview the contacts that match a filter
         * @description Stores nothing. `count` is exact, `sample` has the newest matches. A wrong filter is a 400 with the path into its tree.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * Get a segment or list
         * @description Segments and lists are one kind of thing with one id space: either path takes the id of both. While `status` is BUILDING, `count` grows; sends and enrolments wait until it is READY.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getSegment"];
        /**
         * Change a segment or list
         * @description `count` and `status` are accepted with any value, and ignored, because they change by themselves. A new `filter` is built, without events.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateSegment"];
        post?: never;
        /**
         * Delete a segment or list; its contacts are not deleted
         * @description 409 `in_use`, naming them, while campaigns, forms, imports, thresholds or other segments refer to it.
         *
         *     Permission: `contacts:write`.
         */
        delete: operations["deleteSegment"];
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
        /**
         * Re-evaluate every contact for a segment or list
         * @description Rarely needed, because membership follows contacts, events and time by itself. Answers how many memberships differed from the filter; of a static list none can. Publishes no events, so it starts no campaigns.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["rebuildSegment"];
        delete?: never;
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
        /**
         * List the contacts in a segment or list
         * @description With `at`, those who were members at that moment, as they are now; not those who were deleted since, and for those who were merged, the contact that they were merged into. Who entered at that very millisecond is among them, who left then is not. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listSegmentContacts"];
        put?: never;
        /**
         * Add contacts to a static list
         * @description Up to 10,000 at a time; those who are members already stay so and are not counted. An unknown id is an error, and then nobody is added. Publishes SEGMENT_ENTERED, which may start campaigns. 409 `conflict` if it is a dynamic segment.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["addSegmentContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/segments/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how many contacts were in a segment or list over time
         * @description For each interval: how many were members at its beginning, and how many entered and left in it. Who does so in the very millisecond in which an interval begins does so in that interval: `count` is of right before, while `at` of the list of contacts is of right after. Contacts that were deleted or erased since are among them until then. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getSegmentHistory"];
        put?: never;
        post?: never;
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
        /**
         * Remove contacts from a static list
         * @description Up to 10,000 at a time; those who are no members are not counted. The contacts themselves stay. Publishes SEGMENT_LEFT. 409 `conflict` if it is a dynamic segment.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["removeSegmentContacts"];
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
        /**
         * Get a list or segment
         * @description Segments and lists are one kind of thing with one id space: either path takes the id of both. While `status` is BUILDING, `count` grows; sends and enrolments wait until it is READY.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getList"];
        /**
         * Change a list or segment
         * @description `count` and `status` are accepted with any value, and ignored, because they change by themselves. A new `filter` is built, without events.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateList"];
        post?: never;
        /**
         * Delete a list or segment; its contacts are not deleted
         * @description 409 `in_use`, naming them, while campaigns, forms, imports, thresholds or other segments refer to it.
         *
         *     Permission: `contacts:write`.
         */
        delete: operations["deleteList"];
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
        /**
         * Re-evaluate every contact for a list or segment
         * @description Rarely needed, because membership follows contacts, events and time by itself. Answers how many memberships differed from the filter; of a static list none can. Publishes no events, so it starts no campaigns.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["rebuildList"];
        delete?: never;
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
        /**
         * List the contacts in a list or segment
         * @description With `at`, those who were members at that moment, as they are now; not those who were deleted since, and for those who were merged, the contact that they were merged into. Who entered at that very millisecond is among them, who left then is not. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listListContacts"];
        put?: never;
        /**
         * Add contacts to a static list
         * @description Up to 10,000 at a time; those who are members already stay so and are not counted. An unknown id is an error, and then nobody is added. Publishes SEGMENT_ENTERED, which may start campaigns. 409 `conflict` if it is a dynamic segment.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["addListContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contacts/lists/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how many contacts were in a list or segment over time
         * @description For each interval: how many were members at its beginning, and how many entered and left in it. Who does so in the very millisecond in which an interval begins does so in that interval: `count` is of right before, while `at` of the list of contacts is of right after. Contacts that were deleted or erased since are among them until then. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getListHistory"];
        put?: never;
        post?: never;
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
        /**
         * Remove contacts from a static list
         * @description Up to 10,000 at a time; those who are no members are not counted. The contacts themselves stay. Publishes SEGMENT_LEFT. 409 `conflict` if it is a dynamic segment.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["removeListContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List segments and lists
         * @description Both kinds; `type` tells which. `count` is the number of contacts in each.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listSegmentsAndLists"];
        put?: never;
        /**
         * Create a dynamic segment or a static list
         * @description `dynamic` needs `filter`, whose matches become its members in the background: `status` is BUILDING, then READY. `static` takes `contactIds`. Creating one starts no campaigns; who enters or leaves it later may. Mistakes in the filter are a 400 with the path into its tree.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["createSegmentOrList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a segment or list
         * @description Segments and lists are one kind of thing with one id space: either path takes the id of both. While `status` is BUILDING, `count` grows; sends and enrolments wait until it is READY.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getSegmentOrList"];
        /**
         * Change a segment or list
         * @description `count` and `status` are accepted with any value, and ignored, because they change by themselves. A new `filter` is built, without events.
         *
         *     Permission: `contacts:write`.
         */
        put: operations["updateSegmentOrList"];
        post?: never;
        /**
         * Delete a segment or list; its contacts are not deleted
         * @description 409 `in_use`, naming them, while campaigns, forms, imports, thresholds or other segments refer to it.
         *
         *     Permission: `contacts:write`.
         */
        delete: operations["deleteSegmentOrList"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments/{id}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-evaluate every contact for a segment or list
         * @description Rarely needed, because membership follows contacts, events and time by itself. Answers how many memberships differed from the filter; of a static list none can. Publishes no events, so it starts no campaigns.
         *
         *     Permission: `contacts:write`.
         */
        post: operations["rebuildSegmentOrList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contacts in a segment or list
         * @description With `at`, those who were members at that moment, as they are now; not those who were deleted since, and for those who were merged, the contact that they were merged into. Who entered at that very millisecond is among them, who left then is not. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["listSegmentOrListContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/segments/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how many contacts were in a segment or list over time
         * @description For each interval: how many were members at its beginning, and how many entered and left in it. Who does so in the very millisecond in which an interval begins does so in that interval: `count` is of right before, while `at` of the list of contacts is of right after. Contacts that were deleted or erased since are among them until then. What a build of the segment moves counts at its end.
         *
         *     Permission: `contacts:read`.
         */
        get: operations["getSegmentOrListHistory"];
        put?: never;
        post?: never;
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
        /**
         * List the segments and lists that contain a contact; with explain=true, all dynamic segments with the reasons
         * @description With `explain=true` each dynamic segment says which of its conditions hold for the contact.
         *
         *     Permission: `contacts:read`.
         */
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
         * @description An email refused by a gate (for example, the contact is unsubscribed or suppressed) is SUPPRESSED immediately. Repeating the request with the same Idempotency-Key sends no second email.
         *
         *     Permission: `emails:send`.
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
        /**
         * List emails
         * @description Every intended email has a row, sent or not; `GET /emails/{id}/explain` says why. `externalId` finds the email of a send request from NATS.
         *
         *     Permission: `emails:read`.
         */
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
        /**
         * Get an email
         * @description `reason` says why it is SUPPRESSED or FAILED. UNKNOWN: nobody knows whether the provider took it; it is never sent again by itself.
         *
         *     Permission: `emails:read`.
         */
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
        /**
         * Explain why an email was, or was not, sent
         * @description The gates in their order, each with whether it passed and why, and every attempt with the reply of the provider. Gates of an email that is not sent yet are evaluated now; of others, the stored result counts.
         *
         *     Permission: `emails:read`.
         */
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
        /**
         * Explain why a contact did, or did not, get the emails of a campaign
         * @description Also emails that were never intended for the contact, with the reason. Without `campaignId`, of all campaigns.
         *
         *     Permission: `contacts:read`.
         */
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
        /**
         * Settle the outcome of an UNKNOWN email
         * @description UNKNOWN means that the connection or process ended before the provider's reply. Say what is known from elsewhere: it was `sent`, or it `failed`, or it was not sent and shall be sent again (`resend`). 409 `conflict` if it is not UNKNOWN.
         *
         *     Permission: `emails:write`.
         */
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
        /**
         * List email campaigns
         * @description One-time and recurring sends to a segment or list. Journeys are at `GET /campaigns`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listEmailCampaigns"];
        put?: never;
        /**
         * Create an email campaign, and schedule it if scheduleType is given
         * @description Without `scheduleType`, the campaign is a DRAFT until `POST /emails/campaigns/{id}/send`. `immediate` starts sending right away. The audience is the members of the segment when sending starts; each gets the email once.
         *
         *     Permission: `emails:send`.
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
        /**
         * Get an email campaign
         * @description Its figures are at `GET /emails/campaigns/{id}/stats`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["getEmailCampaign"];
        /**
         * Change an email campaign
         * @description While SENDING or PAUSED, only `name` and `ratePerMinute` can be changed; once the campaign has ended, only `name`.
         *
         *     Permission: `emails:send`.
         */
        put: operations["updateEmailCampaign"];
        post?: never;
        /**
         * Delete an email campaign
         * @description The emails of the campaign are not deleted.
         *
         *     Permission: `emails:send`.
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
         * @description Sends as scheduled, or right away if the campaign has no schedule. No effect if it is SCHEDULED or SENDING.
         *
         *     Permission: `emails:send`.
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
         * @description Emails that are not being delivered at this moment wait until the campaign is resumed; a SCHEDULED campaign does not start.
         *
         *     Permission: `emails:send`.
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
         * Resume a paused email campaign
         * @description Continues with the recipients who have not had the email yet. A campaign that has not started is SCHEDULED again: a recurring one for its next time; any other starts right away if its time has passed.
         *
         *     Permission: `emails:send`.
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
         * @description No more emails are sent; emails that are still QUEUED become SUPPRESSED.
         *
         *     Permission: `emails:send`.
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
         * Get email campaign statistics
         * @description Automated hits (link scanners, prefetchers) are not counted.
         *
         *     Permission: `emails:read`.
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
        /**
         * List the recipients of an email campaign with the status of their emails
         * @description Those who were in the audience when sending started, with what became of the email of each.
         *
         *     Permission: `emails:read`.
         */
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
        /**
         * Get the rules for all marketing email
         * @description Null means no limit. Text messages and pushes have theirs at `GET /channels/settings`.
         *
         *     Permission: `settings:read`.
         */
        get: operations["getEmailSettings"];
        /**
         * Change the rules for all marketing email
         * @description Marketing email to a contact beyond `frequencyCap` is SUPPRESSED. Outside `sendWindow` it waits.
         *
         *     Permission: `settings:write`.
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
        /**
         * List suppressed addresses
         * @description Addresses that get no marketing email, or none at all, with the reason. They outlive contacts.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress an address
         * @description Suppresses one address: patterns and domains are refused. The default reason is `manual`. The contact that has the address gets the matching status (`manual`: unsubscribed). If the address is already suppressed, the response is 200 and the reason stays unless the new one is stricter.
         *
         *     Permission: `emails:write`.
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
        /**
         * Get a suppression
         * @description It holds for the address, whether or not a contact has it.
         *
         *     Permission: `emails:read`.
         */
        get: operations["getSuppression"];
        put?: never;
        post?: never;
        /**
         * Delete a suppression: allow email to the address again
         * @description The contact of the address becomes active unless it is archived or pending. Recorded in the audit log.
         *
         *     Permission: `emails:write`.
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
        /**
         * List email templates
         * @description Templates of email; those of text messages and pushes are at `GET /channels/templates`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create an email template
         * @description Content that begins with `<mjml>` (after comments, a doctype, an XML declaration and Liquid that prints nothing) is compiled as MJML when it is saved; MJML anywhere else is rejected. Syntax errors, unknown tags or filters, and MJML errors are rejected with their line. `fromEmail` must be the default sender or a verified sender address.
         *
         *     Permission: `emails:write`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/templates/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what templates can print
         * @description Every variable of Liquid in templates of emails, and of text messages and pushes but for the links of emails: fields of the contact and its company, the custom fields of the account, `data`, and links. Fields of the contact are also under `contact.`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listTemplateVariables"];
        put?: never;
        post?: never;
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
        /**
         * Get an email template
         * @description As it was saved. `contentVersion` names what an email was rendered from.
         *
         *     Permission: `emails:read`.
         */
        get: operations["getTemplate"];
        /**
         * Change an email template
         * @description Emails that are not rendered yet get the new content, also in campaigns that are running; those that were sent keep theirs. Syntax errors are rejected with their line, like on creation, and nothing is changed.
         *
         *     Permission: `emails:write`.
         */
        put: operations["updateTemplate"];
        post?: never;
        /**
         * Delete an email template
         * @description 409 `in_use`, naming them, while campaigns or emails that are not sent yet need it. Emails that were sent can still be shown.
         *
         *     Permission: `emails:write`.
         */
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
        /**
         * Preview a template as a contact would get it
         * @description Sends, stores and tracks nothing. Without `contactId`, fields of the contact render empty; `data` is what `{{data.x}}` reads.
         *
         *     Permission: `emails:read`.
         */
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
        /**
         * Send a test email of a template
         * @description Sends one email to the address, rendered with `data` and no contact. It is listed at `GET /emails`.
         *
         *     Permission: `emails:send`.
         */
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
        /**
         * List topics
         * @description What recipients can choose from on the preference page.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listTopics"];
        put?: never;
        /**
         * Create a topic
         * @description Templates refer to a topic with `topicId`. Recipients choose topics on the preference page; until they choose, they are subscribed to all topics.
         *
         *     Permission: `emails:write`.
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
        /**
         * Get a topic
         * @description Choices of recipients are at `GET /channels/preferences`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["getTopic"];
        /**
         * Change a topic
         * @description Choices of recipients stay, also under a new name. 409 `name_taken`.
         *
         *     Permission: `emails:write`.
         */
        put: operations["updateTopic"];
        post?: never;
        /**
         * Delete a topic
         * @description Deletes the opt-outs of the topic too. A topic that a template refers to cannot be deleted.
         *
         *     Permission: `emails:write`.
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
         * Get the opens and clicks of an email
         * @description Automated hits are included in `events` but not in the counts.
         *
         *     Permission: `emails:read`.
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
        /**
         * List sender identities
         * @description Addresses of this account, verified or not. Email can be sent from a verified one, and from the default sender `MAIL_FROM`.
         *
         *     Permission: `emails:read`.
         */
        get: operations["listSenders"];
        put?: never;
        /**
         * Create a sender identity
         * @description With `dkim`, email from the address is signed immediately; publish the returned TXT record and verify it. Without the record, receivers ignore the signature. A confirmation link is sent to the address: email may be sent from it once the link is confirmed or the DKIM record of its domain is verified.
         *
         *     Permission: `emails:write`.
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
        /**
         * Get a sender identity
         * @description With the DNS record to publish for its DKIM key. A private key is never returned.
         *
         *     Permission: `emails:read`.
         */
        get: operations["getSender"];
        /**
         * Change a sender identity
         * @description Another address must be confirmed again; another DKIM domain, selector or private key replaces the key. 409 `in_use` if templates would be left with an address that is not verified.
         *
         *     Permission: `emails:write`.
         */
        put: operations["updateSender"];
        post?: never;
        /**
         * Delete a sender identity
         * @description 409 `in_use`, naming them, while templates use its address, or an address that only this sender verifies.
         *
         *     Permission: `emails:write`.
         */
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
         * Resend the confirmation link to a sender's address
         * @description Only the link in the latest email works, once, within 24 hours.
         *
         *     Permission: `emails:write`.
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
         * Verify a sender's DKIM record in the DNS
         * @description If the record is found, the domain is verified for the tenant, and email may be sent from any address of it and of its subdomains. If you supplied the key, the record must name the tenant, as `dnsValue` does.
         *
         *     Permission: `emails:write`.
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
        /**
         * List the mail providers and their health
         * @description The mail servers of `SMTP_URL`, in their failover order. DOWN: none is tried through it until its pause ends.
         *
         *     Permission: `emails:read`.
         */
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
         * Receive deliveries, bounces, complaints and opt-outs from a mail provider
         * @description For `ses` (via Amazon SNS), `sendgrid`, `mailgun` and `postmark`, if their setting is present. Requests must be signed by the provider. Who unsubscribes at SendGrid (`unsubscribe`, `group_unsubscribe`), Mailgun (`unsubscribed`) or Postmark (`SubscriptionChange`) is unsubscribed here; nothing that a provider says lifts an opt-out. Events of other types, and of emails not sent by this service, are ignored.
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
        /**
         * List campaigns
         * @description Journeys. One-time sends to a segment are at `GET /emails/campaigns`.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["listCampaigns"];
        put?: never;
        /**
         * Create a campaign
         * @description Makes a DRAFT: nobody enters before `POST /campaigns/{id}/start`. A type other than CUSTOM makes its steps from `templateIds`. Unknown types, targets and loops without a WAIT are a 400 that names the step; `warnings` says what is valid and may not be meant.
         *
         *     Permission: `campaigns:write`.
         */
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
        /**
         * Get a campaign
         * @description The latest edit, which executions run only after `start` has published it; `GET /campaigns/{id}/versions` has what was published.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["getCampaign"];
        /**
         * Change a campaign
         * @description If the campaign is ACTIVE, the changes go into its next version, which `start` publishes.
         *
         *     Permission: `campaigns:write`.
         */
        put: operations["updateCampaign"];
        post?: never;
        /**
         * Delete a campaign and its executions
         * @description Its emails remain. 409 `conflict` while it is ACTIVE, PAUSED or its workflows are still being closed; 409 `in_use` if a threshold or an active campaign refers to it.
         *
         *     Permission: `campaigns:write`.
         */
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
         * @description Enrols the given contacts as the entry rules allow; with `reentry` never, starting again enrols no contact twice. 400 if the campaign has no steps.
         *
         *     Permission: `campaigns:write`.
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
        /**
         * Stop a campaign and every execution of it
         * @description Nobody enters any more. Every running execution is STOPPED at once, no step of theirs runs again, and their QUEUED emails and messages are SUPPRESSED. Workflows are closed in the background (`closing`). `start` makes it ACTIVE again and revives no execution. No effect if it is STOPPED.
         *
         *     Permission: `campaigns:write`.
         */
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
        /**
         * Pause a campaign: no step runs until it is resumed
         * @description Waits go on, and steps that become due run when it is resumed. 409 `conflict` unless it is ACTIVE; no effect if it is PAUSED.
         *
         *     Permission: `campaigns:write`.
         */
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
        /**
         * Resume a paused campaign
         * @description Steps that became due during the pause run now. 409 `conflict` unless it is PAUSED; no effect if it is ACTIVE.
         *
         *     Permission: `campaigns:write`.
         */
        post: operations["resumeCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a campaign that is DRAFT or STOPPED
         * @description It keeps its executions and figures, and cannot be started. 409 `conflict` unless it is DRAFT or STOPPED.
         *
         *     Permission: `campaigns:write`.
         */
        post: operations["archiveCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an archived campaign STOPPED again, or DRAFT if it was never started
         * @description Nobody enters before it is started. 409 `conflict` unless it is ARCHIVED.
         *
         *     Permission: `campaigns:write`.
         */
        post: operations["unarchiveCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the published versions of a campaign
         * @description One for each `start` that published something, with how many executions run it now. Versions never change.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["listCampaignVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a published version: what the executions that are pinned to it run
         * @description Executions keep the version with which they began, unless they are migrated.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["getCampaignVersion"];
        put?: never;
        post?: never;
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
         * Get campaign statistics
         * @description `emails` counts all emails of the campaign, as `GET /emails?campaignId=` and the analytics do: emails sent by its steps, and emails sent with `POST /emails/send` and its id. `steps` counts only executions.
         *
         *     Permission: `campaigns:read`.
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
        /**
         * List the executions of a campaign
         * @description One for each entry of a contact, by `entryNo`. `currentStep` is an index into `steps`; of a COMPLETED one, the number of steps.
         *
         *     Permission: `campaigns:read`.
         */
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
        /**
         * Explain why a contact is, or is not, in a campaign
         * @description Whether the contact is in the campaign, whether it could enter now, and each rule with its reason.
         *
         *     Permission: `campaigns:read`.
         */
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
        /**
         * Get the progress of an enrolment
         * @description What one `start`, or one time of a schedule, has enrolled so far. `skipped` were kept out by the entry rules.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["getCampaignEnrolment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the running executions of a published version to another
         * @description Each continues at the same step, by its id or by `map`, and keeps the time that it has already waited. Executions that FAILED do not run and stay in their version.
         *
         *     Permission: `campaigns:write`.
         */
        post: operations["migrateCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/migrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a migration
         * @description The figures grow while it is RUNNING. `blocked` executions stay in their version.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["getCampaignMigration"];
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
        /**
         * Get an execution with its completed steps
         * @description `steps` has each visit of a step that is over, with its result.
         *
         *     Permission: `campaigns:read`.
         */
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
        /**
         * Stop one execution
         * @description No step of it runs again, and its QUEUED emails and messages are SUPPRESSED. Others of the campaign go on. No effect if it has ended.
         *
         *     Permission: `campaigns:write`.
         */
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
        /**
         * Retry a failed execution, or one that is RUNNING and has no open workflow
         * @description Goes on at the step at which it failed; steps before it are not repeated. 409 `conflict` if it can go on by itself or has ended, and unless the campaign is ACTIVE or PAUSED.
         *
         *     Permission: `campaigns:write`.
         */
        post: operations["retryCampaignExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a campaign for contacts: nothing is sent or changed
         * @description The contacts go through the steps as executions would, without waiting. Up to 10,000 contacts are answered at once; more are a job, whose result `GET /campaigns/simulations/{id}` has. Gates, segments and fields are those of now, changed only by the steps themselves; nothing else happens to the contacts but the assumed opens and clicks, which a step sees only after the contact has waited. Score rules, thresholds, other campaigns and unsubscribes are not simulated; what would be sent to others (webhooks, notifications) counts as a success.
         *
         *     Permission: `campaigns:read`.
         */
        post: operations["simulateCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/simulations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress and the result of a simulation of more than 10,000 contacts
         * @description Poll it until it is completed; its result has what a smaller simulation answers at once.
         *
         *     Permission: `campaigns:read`.
         */
        get: operations["getCampaignSimulation"];
        put?: never;
        post?: never;
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
        /**
         * List forms
         * @description DRAFT and ARCHIVED ones too, which take no submissions.
         *
         *     Permission: `forms:read`.
         */
        get: operations["listForms"];
        put?: never;
        /**
         * Create a form
         * @description ACTIVE unless `status` says otherwise, so it takes submissions at once. A field named like a contact field fills it; `mapTo` names another one. An input whose every value that contact field would refuse, or an option that it lacks, is a 400: nobody could submit the form. The code for a page comes from `GET /forms/{id}/embed`.
         *
         *     Permission: `forms:write`.
         */
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
        /**
         * Get a form
         * @description As its editors see it; `GET /forms/{id}/fields` is what visitors get.
         *
         *     Permission: `forms:read`.
         */
        get: operations["getForm"];
        /**
         * Change a form
         * @description `fields` replaces the whole list; fields whose name stays keep their id, and submissions keep all their values. Pages that embed the form show the change at their next load.
         *
         *     Permission: `forms:write`.
         */
        put: operations["updateForm"];
        post?: never;
        /**
         * Delete a form and its submissions with their files
         * @description Pages that embed it show it no more. Its figures in analytics stay. 409 `in_use` while an active campaign refers to it.
         *
         *     Permission: `forms:write`.
         */
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
        /**
         * Get the code that embeds the form in a page
         * @description `javascript` renders the form in the page, takes one step and is recommended; `iframe` shows the hosted page; `html` is a plain form in two steps: its visitors press the button once more on the hosted page before anything is stored. No token of the API is in it.
         *
         *     Permission: `forms:read`.
         */
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
        /**
         * Get views, submissions and conversion rate of a form
         * @description A view counts once per showing of the form. `abandonment` tells which field visitors left last.
         *
         *     Permission: `forms:read`.
         */
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
        /**
         * List submissions
         * @description `submissionData` has the values by field name; files are `{fileId, …}`, to be downloaded with a token.
         *
         *     Permission: `forms:read`.
         */
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
        /**
         * Get the fields that the embed script renders; counts a view
         * @description With progressive profiling and a valid `contactToken`, fields whose values are known are left out, and the first of `progressiveFields` that is not known is added. No value is shown.
         */
        get: operations["getFormFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/captcha": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an ALTCHA challenge, whose solution is sent with a submission
         * @description The solution is the field `altcha`: base64 of JSON `{algorithm, challenge, number, salt, signature}`, where `challenge` is the hexadecimal SHA-256 of `salt` followed by `number`. It can be used once, for this form, within 20 minutes.
         */
        get: operations["getFormCaptcha"];
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
        /**
         * Get a signed token for submitting from a browser
         * @description Valid for 12 hours and for this form; send it as `_token`. Submissions from a browser need it, JSON from a server does not.
         */
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
         * @description A server sends JSON without any token. What a browser sends needs `_token`, may have `_contactToken`, and leaves `_website` empty. If the form or its list uses double opt-in, a new contact is `pending` until it confirms its address with the link in an email; only then does it join the list. A field without a value is not answered: a JSON body that does not name a checkbox, consent or multiselect does not untick it. Files are sent as parts of a multipart body, one for each file field; what a file is, is judged by its content.
         */
        post: operations["submitForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/abandon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count that a visitor left the form
         * @description For `navigator.sendBeacon`, which sends text: when a page is left or hidden, and with `returned` when its visitor comes back to it. Only the name of the field is counted, nothing about the visitor; unknown names are ignored.
         */
        post: operations["abandonForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/submissions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download submissions as CSV, NDJSON or XLSX
         * @description Streamed in id order. In csv and xlsx, the columns are id, contactId, submittedAt, ipAddress and userAgent, then one per field of the form, then those that only older submissions have. Headers are field names; a field named like one of the first columns is `submissionData.name`. Lists are separated by semicolons, a file is its name, and in csv, text that begins with = + - @, a tab or a carriage return is prefixed with an apostrophe, so that spreadsheets do not run it as a formula. ndjson has the submissions as in the API. xlsx supports at most 200,000 submissions.
         *
         *     Permission: `forms:read`.
         */
        get: operations["exportFormSubmissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forms/{id}/submissions/{submissionId}/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a submission
         * @description Always an attachment. The Content-Type is what the file is by its content; what a browser or another program might run (HTML, SVG, XML, programs) is application/octet-stream. Anybody can send files with a form, and they are not scanned for malware. Each download is recorded in the audit log.
         *
         *     Permission: `forms:read`.
         */
        get: operations["downloadFormFile"];
        put?: never;
        post?: never;
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
        /**
         * List scoring rules
         * @description Every account begins with rules for opens, clicks, form submissions and website visits. Deleted rules are left out.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["listScoringRules"];
        put?: never;
        /**
         * Create a scoring rule
         * @description The rule awards `points` × `weight`, rounded, for each event of its type that meets all `conditions`, from now on: once per event, however often that is delivered. Automated opens and clicks do not count. A replay applies it to earlier events.
         *
         *     Permission: `scoring:write`.
         */
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
        /**
         * Get a scoring rule
         * @description Deleted rules are not found; scores still name them.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["getScoringRule"];
        /**
         * Change a scoring rule
         * @description Applies to events from now on. Points that the rule has awarded stay, and lose worth as the rule said when they were awarded; a replay gives earlier events what the rule gives now. An inactive rule awards nothing, and its points stay.
         *
         *     Permission: `scoring:write`.
         */
        put: operations["updateScoringRule"];
        post?: never;
        /**
         * Delete a scoring rule
         * @description Points that the rule has awarded stay in scores and in their history, and lose worth as before. To take them away, change the rule to 0 points and replay it before.
         *
         *     Permission: `scoring:write`.
         */
        delete: operations["deleteScoringRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/rules/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a scoring rule to earlier events
         * @description Events since `from` get the points that the rule gives now, instead of those that they got. Thresholds that are reached fire, but never again for a contact for whom they have fired. An event counts for the company that has its points, or else for that of its contact. A dry run over up to 10000 contacts, 10000 companies and 50000 events is answered at once.
         *
         *     Permission: `scoring:write`.
         */
        post: operations["replayScoringRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a replay
         * @description The figures grow while it is RUNNING. It ends as CANCELLED when the rule is changed, deleted or made inactive; what it has changed until then stays.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["getScoringReplay"];
        put?: never;
        post?: never;
        delete?: never;
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
        /**
         * Get the score of a contact
         * @description Everything is as of now: points of rules with `decay` have lost worth since they were awarded. `totalScore` is the sum of the `score` of all `rules`, each rounded. `history` lists the changes by awards, the latest first; what has lost worth since is no change in it, so its `total`, the total right after the change, may be more than `totalScore`. A contact that was never scored has 0 and is cold.
         *
         *     Permission: `scoring:read`.
         */
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
        /**
         * Get the score of a contact
         * @description Everything is as of now: points of rules with `decay` have lost worth since they were awarded. `totalScore` is the sum of the `score` of all `rules`, each rounded. `history` lists the changes by awards, the latest first; what has lost worth since is no change in it, so its `total`, the total right after the change, may be more than `totalScore`. A contact that was never scored has 0 and is cold.
         *
         *     Permission: `scoring:read`.
         */
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
        /**
         * Get the score of a company
         * @description `totalScore` is the own score of the company, from rules with the target `company`; `contactsTotal` is the sum of the scores of the contacts that belong to it now. Both are as of now; a `total` in `history` is as of its change, as for contacts.
         *
         *     Permission: `scoring:read`.
         */
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
        /**
         * List the highest scores
         * @description By the totals of now, the highest first; those who have the same total share a rank. Companies are ranked by their own score, from rules with the target `company`.
         *
         *     Permission: `scoring:read`.
         */
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
        /**
         * Record a website visit
         * @description For programs: writes a WEBSITE_VISITED event for the contact, which is scored as any event. Each request counts: neither repeated visits nor many of them are left out, as they are from what the visit script tells. An `Idempotency-Key` prevents that a repeated request counts twice. Refused while the contact is being erased (409 `conflict`).
         *
         *     Permission: `scoring:write`.
         */
        post: operations["recordScoringEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/visits/embed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the code that tells of visits, for all pages of a site
         * @description An HTML element for the `<head>` of every page. It loads the visit script, which tells of pages that known contacts visit, and does nothing for others.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["getVisitEmbed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scoring/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell that a contact visits a page
         * @description The visit script calls it, with JSON as text, which needs no preflight. Each valid request is answered in the same way: visits without a valid token of a contact of the site, by robots, of a contact that is being erased, and of a page that the contact visited less than 10 seconds before are not kept, and neither are more than 60 visits of a contact in a minute, which begins with the first of them. Unknown fields are ignored.
         */
        post: operations["tellVisit"];
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
        /**
         * List score thresholds
         * @description All thresholds of the account, with the number of contacts for whom each has fired.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["listScoreThresholds"];
        put?: never;
        /**
         * Create a score threshold
         * @description A threshold fires for a contact when an event leaves its total at `score` or above, and then never again for this contact, also when the total falls below and rises again. It is judged once per event, on the total after all rules of the event; points in between do not count. Totals that are there already do not fire it: it fires when the score of a contact changes next and is still enough. A threshold whose action starts a campaign waits while that is not active, and fires at the next change of the score after it is. Points from campaigns, replays and merges, and negative points that lose worth, can make it fire too.
         *
         *     Permission: `scoring:write`.
         */
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
        /**
         * Get a score threshold
         * @description `triggered` and `triggeredCount` tell for how many contacts it has fired, also those who were deleted since, but not those who were erased.
         *
         *     Permission: `scoring:read`.
         */
        get: operations["getScoreThreshold"];
        /**
         * Change a score threshold
         * @description For contacts for whom it has fired it does not fire again, whatever is changed. A lower `score` fires when the score of a contact changes next and is still enough. `triggered` and `triggeredCount` are accepted with any value, and ignored, because they change by themselves.
         *
         *     Permission: `scoring:write`.
         */
        put: operations["updateScoreThreshold"];
        post?: never;
        /**
         * Delete a score threshold
         * @description What it has caused stays. A call of its webhook that has not ended is given up.
         *
         *     Permission: `scoring:write`.
         */
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
        /**
         * Get the scores at which warm and hot begin
         * @description A total below `warm` is cold, one from `hot` on is hot. New accounts have 30 and 70.
         *
         *     Permission: `settings:read`.
         */
        get: operations["getScoringSettings"];
        /**
         * Change the scores at which warm and hot begin
         * @description `warm` must be below `hot`. The qualification of all contacts and companies follows at once, without events; segments that depend on it are built again.
         *
         *     Permission: `settings:write`.
         */
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
        /**
         * Key figures of a period
         * @description What happened in the period, and what there is now: contacts, active campaigns, contacts in them. All figures are of one moment; `asOf` tells up to when the events that they count are complete.
         *
         *     Permission: `analytics:read`.
         */
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
        /**
         * Email figures
         * @description All emails, also those of campaigns: in all, over time, and for each template (or link), a page at a time. All figures are of one moment; `asOf` tells up to when the events that they count are complete.
         *
         *     Permission: `analytics:read`.
         */
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
        /**
         * Contact figures
         * @description What contacts there are now, and how many were created and unsubscribed in the period. All figures are of one moment; `asOf` tells up to when the events that they count are complete.
         *
         *     Permission: `analytics:read`.
         */
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
        /**
         * Campaign figures
         * @description What belongs to campaigns and email campaigns: in all, over time, and for each, a page at a time. All figures are of one moment; `asOf` tells up to when the events that they count are complete.
         *
         *     Permission: `analytics:read`.
         */
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
        /**
         * Form figures
         * @description Views and submissions of forms: in all, over time, and for each, a page at a time. All figures are of one moment; `asOf` tells up to when the events that they count are complete.
         *
         *     Permission: `analytics:read`.
         */
        get: operations["getFormsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the figures of a period as CSV, PDF or XLSX
         * @description The figures are those of the endpoint named like `type`, with those of the period before: as many whole months or days before, if the period consists of whole months or days in `timezone`, else the same duration. csv has one figure per row (`section,at,id,name,metric,value`): `metric` is its name in the API, `section` is `period`, `previousPeriod`, `series` or the name of a breakdown, or `note` with a text as its name; rates are fractions; texts that a spreadsheet would run as formulas are prefixed with an apostrophe. xlsx has a summary and a sheet for each table. pdf has key figures, charts, and up to 1,000 rows of each table. `POST /analytics/reports` makes the same files in the background, and regularly.
         *
         *     Permission: `analytics:read`.
         */
        get: operations["exportAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reports
         * @description Reports made once, and those on a schedule.
         *
         *     Permission: `analytics:read`.
         */
        get: operations["listReports"];
        put?: never;
        /**
         * Make a report, once or on a schedule
         * @description Without `schedule`, the report on the period (by default the last 30 days) is made now: poll `status`, then download it. With `schedule`, a report on the last whole day, week or month is made at each of its times and emailed to `recipients`, as an attachment up to 5 MiB; `from`, `to` and `timezone` are left out. What the formats contain is described at `GET /analytics/export`; json has all of it. Files are kept for 90 days, of the 100 most recent runs of a report, and up to 64 MiB of an account; not removed before its emails are sent. A report that cannot be made is FAILED with its reason in `error`, and `recipients` are told. An account may have 200 reports with a schedule.
         *
         *     Permission: `analytics:write`.
         */
        post: operations["createReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/reports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a report and the state of its most recent run
         * @description Poll `status` until it is COMPLETED; `downloadUrl` then leads to the file.
         *
         *     Permission: `analytics:read`.
         */
        get: operations["getReport"];
        /**
         * Change a report: its name, format and schedule
         * @description Changes the runs that follow. A changed `cron` or `timezone` counts from now on; `schedule: null` ends the schedule. What follows from runs (`status`, `from`, `to`, `timezone`, `nextRunAt`, `downloadUrl` and so on) is ignored. 409 `conflict` for another `format` or `interval` of a report without a schedule: it is not made again.
         *
         *     Permission: `analytics:write`.
         */
        put: operations["updateReport"];
        post?: never;
        /**
         * Delete a report with its schedule, runs and files
         * @description Also while it is being made. Emails with its file that are not sent yet end as FAILED.
         *
         *     Permission: `analytics:write`.
         */
        delete: operations["deleteReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/reports/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a report
         * @description A report without a schedule has one run. The latest 100 are kept, with their files until these expire (`expiresAt`).
         *
         *     Permission: `analytics:read`.
         */
        get: operations["listReportRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/reports/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the file of a report
         * @description The most recent file, or that of the run `runId`.
         *
         *     Permission: `analytics:read`.
         */
        get: operations["downloadReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates of text messages and pushes
         * @description Of both kinds; `channel` tells which. Templates of email are at `GET /emails/templates`.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listChannelTemplates"];
        put?: never;
        /**
         * Create a template of text messages or pushes
         * @description All texts are Liquid with the fields of the contact, as in email templates. A text message may have ten segments: 1,530 characters of GSM-7, or 670 of UCS-2, with the `optOutText` of the settings if it is marketing. A push may have 3,993 bytes as JSON.
         *
         *     Permission: `channels:write`.
         */
        post: operations["createChannelTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template of text messages or pushes
         * @description As it was saved, with its Liquid.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getChannelTemplate"];
        /**
         * Change a template of text messages or pushes
         * @description Messages that are not sent yet get the new content, also in campaigns that are running. Checked like a new template.
         *
         *     Permission: `channels:write`.
         */
        put: operations["updateChannelTemplate"];
        post?: never;
        /**
         * Delete a template of text messages or pushes
         * @description 409 `in_use`, naming them, while campaigns or messages that are not sent yet need it.
         *
         *     Permission: `channels:write`.
         */
        delete: operations["deleteChannelTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a template as a contact would get it, with its segments
         * @description What renders as nothing, or has a URL that no browser can open, could not be sent: 400 with the reason.
         *
         *     Permission: `channels:read`.
         */
        post: operations["previewChannelTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rules for marketing messages on all channels
         * @description Caps, hours and the text that tells how to opt out. `GET /emails/settings` shows what of this is about email alone.
         *
         *     Permission: `settings:read`.
         */
        get: operations["getChannelSettings"];
        /**
         * Change the rules for marketing messages on all channels
         * @description Of messages under a cap, those with the higher `priority` are sent; the others are SUPPRESSED with `outranked`, or with `frequency_cap`. Outside the hours a message waits. `/emails/settings` shows the same rules for email: its cap is the one of `["email"]`.
         *
         *     Permission: `settings:write`.
         */
        put: operations["updateChannelSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether a message to a contact would be sent, and why not
         * @description The answer of the gate for a message that is queued now, up to the gate that stops it; nothing changes. With `at`, the hours are those at that time. If it only has to wait for open hours, `opensAt` tells until when.
         *
         *     Permission: `channels:read`.
         */
        post: operations["checkMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/messages/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a text message or push was, or was not, sent
         * @description The gates in their order, each with whether it passed and why, then the provider and the delivery. Gates of a message that is not sent yet are evaluated now.
         *
         *     Permission: `channels:read`.
         */
        get: operations["explainMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a contact wants on each channel
         * @description All topics are wanted until the person chooses. Choices hang on the addresses and outlive the contact.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getChannelPreferences"];
        /**
         * Change what a contact wants on each channel
         * @description What is absent stays. `subscribed` to texts needs `evidence`, from after the last opt-out. Email can be switched off; only a confirmed opt-in, or removing the suppression, switches it on again. What is switched off is not sent any more, even if it is QUEUED.
         *
         *     Permission: `channels:write`.
         */
        put: operations["updateChannelPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the providers of text messages and pushes, and their health
         * @description In no answer are their credentials: `true` stands for one that is there.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listChannelProviders"];
        put?: never;
        /**
         * Create a provider of text messages or pushes
         * @description Of the active providers of a channel, that with the lowest `priority` is used; the next one while it refuses, does not answer or cannot be reached. Web Push needs none. A provider reports what becomes of messages, and texts that it receives, to `POST /channels/webhooks/{providerId}`.
         *
         *     Permission: `channels:write`.
         */
        post: operations["createChannelProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a provider of text messages or pushes
         * @description Credentials are shown as `true` only.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getChannelProvider"];
        /**
         * Change a provider of text messages or pushes
         * @description `credentials` replace those that are there; absent, or just as GET shows them (`{field: true}`), they are kept. They must be given again with a `config` that would send them to another origin. `health` is accepted with any value, and ignored.
         *
         *     Permission: `channels:write`.
         */
        put: operations["updateChannelProvider"];
        post?: never;
        /**
         * Delete a provider of text messages or pushes
         * @description Reports of messages that it has sent are refused from then on.
         *
         *     Permission: `channels:write`.
         */
        delete: operations["deleteChannelProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/providers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message through a provider
         * @description Whether the provider is active or not. It is tried once: what the provider refuses is FAILED, with what it said in `reason` and in `/channels/messages/{id}/explain`. It is a message as any other, and listed with them. Repeating the request with the same Idempotency-Key sends no second one.
         *
         *     Permission: `channels:send`.
         */
        post: operations["testChannelProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive statuses and texts from a provider of text messages
         * @description For the provider with this id. `twilio`: its form, proved by `X-Twilio-Signature`; the URL of the status callback comes with each message, that of incoming messages is this one. `http`: JSON `{type: status|inbound, messageId | providerMessageId, status, from, to, text, errorCode}`, proved by Standard Webhooks with the `callbackSecret`; `status` is `sent`, `delivered`, `undelivered` or `failed`; `messageId` is ours, as the request had it. Statuses only move forward, and whatever is repeated changes nothing.
         */
        post: operations["receiveChannelCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/inbound": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List received text messages
         * @description Providers tell of them by `POST /channels/webhooks/{id}`; each is kept once.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listInboundTexts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed numbers, and who gets no pushes
         * @description Who gets no marketing, or nothing at all, on a channel, and why. They outlive contacts.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listChannelSuppressions"];
        put?: never;
        /**
         * Suppress a number, or the pushes to a person
         * @description sms: a number in E.164. push: the email address of a contact, whose devices then get no marketing. The default reason is `manual`; to what is `invalid` or `complained`, not even transactional messages are sent. If it is already suppressed, the response is 200 and the reason stays unless the new one is stricter.
         *
         *     Permission: `channels:write`.
         */
        post: operations["createChannelSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a suppression of a channel
         * @description It holds for the number or person, whether or not there is a contact.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getChannelSuppression"];
        put?: never;
        post?: never;
        /**
         * Delete a suppression of a channel
         * @description Consents and other choices of the person stay as they are. Recorded in the audit log.
         *
         *     Permission: `channels:write`.
         */
        delete: operations["deleteChannelSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of email, text messages and pushes
         * @description Messages count when they were queued, by what has become of them until now: each is in exactly one of queued, sent, failed, suppressed and unknown, whose sum is `audience`; `delivered` and `undelivered` are parts of `sent`. A push to several devices is one message. Clicks and opt-outs count when they happened. `asOf` tells up to when clicks are complete.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getChannelAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/sms/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one text message
         * @description To the number of a contact, or to a number. A message that a gate refuses is SUPPRESSED immediately, with the reason. Repeating the request with the same Idempotency-Key sends no second one.
         *
         *     Permission: `channels:send`.
         */
        post: operations["sendText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one push
         * @description To all devices of a contact, or to one device; it counts as one message. A message that a gate refuses is SUPPRESSED immediately, with the reason. Repeating the request with the same Idempotency-Key sends no second one.
         *
         *     Permission: `channels:send`.
         */
        post: operations["sendPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List text messages and pushes
         * @description Every intended message has a row, sent or not; `GET /channels/messages/{id}/explain` says why. A push to several devices is one message.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a text message or push, and what became of it
         * @description `devices` tells what became of a push on each device. UNKNOWN: nobody knows whether the provider took it; it is never sent again by itself.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/messages/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle the outcome of an UNKNOWN text message or push
         * @description Say what is known from elsewhere: it was `sent`, or it `failed`, or it was not sent and shall be sent again (`resend`). 409 `conflict` if it is not UNKNOWN.
         *
         *     Permission: `channels:write`.
         */
        post: operations["resolveMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the websites whose visitors can subscribe to pushes
         * @description Each has a key pair of its own; the private key is never returned.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listPushSites"];
        put?: never;
        /**
         * Create a website whose visitors can subscribe to pushes
         * @description Its key pair (VAPID, RFC 8292) is made here; the private key is never answered. Pages load `/channels/push/sites/{siteKey}/script.js`.
         *
         *     Permission: `channels:write`.
         */
        post: operations["createPushSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/sites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a website whose visitors can subscribe to pushes
         * @description `siteKey` names the site in its pages; `publicKey` is what browsers subscribe with.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getPushSite"];
        /**
         * Change a website whose visitors can subscribe to pushes
         * @description Browsers that are subscribed stay so. An origin that is taken out can subscribe nobody from now on.
         *
         *     Permission: `channels:write`.
         */
        put: operations["updatePushSite"];
        post?: never;
        /**
         * Delete a website whose visitors can subscribe to pushes
         * @description Its keys are deleted too, so that nothing reaches its browsers again: their subscriptions are `gone`.
         *
         *     Permission: `channels:write`.
         */
        delete: operations["deletePushSite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices that receive pushes
         * @description Browsers and apps, those that are gone too. Endpoints are shortened, because whoever knows one can send to it.
         *
         *     Permission: `channels:read`.
         */
        get: operations["listPushSubscriptions"];
        put?: never;
        /**
         * Subscribe a browser or an app to pushes
         * @description For pages of a site: `siteKey` and `subscription`, as `PushSubscription.toJSON()` gives it; a `contactToken` says whose browser it is, and whoever has the browser last gets its pushes. With a token of the API, `contactId` may say that instead, and an app subscribes with `{contactId, type: fcm, token, platform}`. A subscription that is known is brought up to date (200). Unknown fields are ignored.
         */
        post: operations["createPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a device that receives pushes
         * @description Its endpoint is shortened, because whoever knows it can send to it.
         *
         *     Permission: `channels:read`.
         */
        get: operations["getPushSubscription"];
        /**
         * Say whose device it is
         * @description `contactId: null` makes it nobody's: it stays and gets no pushes for contacts. Writes CHANNEL_SUBSCRIBED and CHANNEL_UNSUBSCRIBED where a contact gets its first device or loses its last. 409 `conflict` while the contact is being erased.
         *
         *     Permission: `channels:write`.
         */
        put: operations["linkPushSubscription"];
        post?: never;
        /**
         * End a subscription to pushes
         * @description With a token of the API, or with the subscription's own `token`.
         */
        delete: operations["deletePushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/push/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what a device did with a push
         * @description The worker of a site calls it, and apps do: `shown` makes the push DELIVERED, `clicked` is a click on its URL. A repeated report changes nothing. Unknown fields are ignored.
         */
        post: operations["reportPushEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description With their state and when each last succeeded; secrets are never in it.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description From now on, each event that matches is sent to `url` by a POST as Standard Webhooks 1.0 says (standardwebhooks.com), at least once: with the CloudEvents id as `webhook-id` at every attempt, `webhook-timestamp`, and in `webhook-signature` `v1,` with the HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64. How to verify it is in docs/webhooks.md. What matches is numbered, `sequence` 1, 2, 3 and so on without gaps: a receiver knows what it has not seen, and can get it by `GET /webhooks/{id}/events`. 2xx is success; any other answer, a redirect too, is a failure, after which it is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h (each ± 10 %), or later if `Retry-After` asks for it, up to 24 h. An account may have 10,000 webhooks.
         *
         *     Permission: `webhooks:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events that webhooks can tell
         * @description Each with an example of what is sent. `POST /webhooks/{id}/test` sends it.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["listWebhookEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key that signs the webhooks of WEBHOOK steps and thresholds
         * @description For a library of Standard Webhooks. It is the same for all campaigns and thresholds, and changes only with the LINK_SECRET of the service; while that is rotated, calls are signed with both. Each visit of a step, and each firing of a threshold, has one `webhook-id`.
         *
         *     Permission: `webhooks:write`.
         */
        get: operations["getDefaultWebhookKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Its secret was in the answer to its creation; `rotate-secret` makes another.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook
         * @description Counts for what is sent from now on. `active: true` sends what was held, oldest first. `headers` are replaced; `true` keeps the value of one that is there, unless `url` goes to another origin. `lastSuccessAt` and `secret` are accepted with any value, and ignored.
         *
         *     Permission: `webhooks:write`.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook with its deliveries
         * @description What is on its way may still arrive.
         *
         *     Permission: `webhooks:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an example to a webhook
         * @description Once, at once, whether the webhook is active or not, with the example of `GET /webhooks/event-types`, `sequence` 0 and a new `webhook-id`. It is no delivery, and changes nothing. 409 `conflict` if its key or its headers cannot be decrypted any more: rotate the secret, or give the headers again.
         *
         *     Permission: `webhooks:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another secret, or another key, for a webhook
         * @description The one before signs too for `overlapHours`: each attempt has a signature by either. 409 `conflict` until that is over.
         *
         *     Permission: `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Those of the last 30 days. `from` is inclusive, `to` is not.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery of a webhook
         * @description With its body and every attempt: what was answered, and when.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, or now
         * @description Under the same `webhook-id`, with as many attempts as a new one. With `ordering: contact`, earlier ones that wait and concern the same are sent before it. 409 `conflict` if its data was erased.
         *
         *     Permission: `webhooks:write`.
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what was told to a webhook, by number
         * @description The bodies of its deliveries in the order of their numbers, whatever became of them, for 30 days: for a receiver that has missed some, or that cannot be called. `data` is null if it was about a person who was erased. Changes nothing.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["pullWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof that nothing was missed
         * @description What became of everything that matched in a period, by default the last 30 days. `from` is inclusive, `to` is not.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["getWebhookProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the deliveries of a period again
         * @description Those that matched from `from` on and before `to` (default: now), under their `webhook-id`s, with as many attempts as new ones. `only`: `failed`; `held`, which are sent when the webhook is active again; or `all` that have ended. One replay of a webhook at a time: else 409 `conflict`.
         *
         *     Permission: `webhooks:write`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a replay
         * @description The figures grow until it is completed.
         *
         *     Permission: `webhooks:read`.
         */
        get: operations["getWebhookReplay"];
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
        AbandonFormRequest: {
            /**
             * @description The name of the field that was touched last
             * @example email
             */
            field: string;
            /** @description The visitor, who was counted as one who left, has come back: takes the count back */
            returned?: boolean;
        };
        AcceptInvitationRequest: {
            /**
             * @description From the link in the email
             * @example B2RlZmF1bHQ
             */
            token: string;
            /**
             * @description Letters, digits and . _ - +, or the email address
             * @example ada
             */
            username: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-7
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
            /** @description Number of contacts that were not members before */
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
             * @description The user on whose behalf the key acts
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
            /** @description For optimistic concurrency; the ETag of reads */
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
             * @description The changed fields, before the change
             * @example {
             *       "active": true
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The changed fields, after the change
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
             * @description Lifetime of the access token in seconds
             * @example 86400
             */
            expiresIn: number;
            /** @description For POST /auth/refresh; can be used once */
            refreshToken: string;
            user: components["schemas"]["User"];
        };
        BatchContactsAnswer: {
            results: components["schemas"]["BatchResult"][];
        };
        BatchContactsRequest: {
            contacts: unknown[];
            /**
             * @description `create` rejects addresses of existing contacts (`email_taken`)
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
            /** @description Why the service paused the campaign; null if a user did, or if it is not PAUSED */
            pauseReason: string | null;
            /** @enum {string} */
            type: "CUSTOM" | "WELCOME_SERIES" | "NURTURE" | "RE_ENGAGEMENT";
            trigger: components["schemas"]["Trigger"];
            steps: components["schemas"]["Step"][];
            entry: components["schemas"]["Entry"];
            /** @description What may not be meant in the latest edit, though it is valid */
            warnings: components["schemas"]["Warning"][];
            /** @description The version that new executions use; null before the first start */
            publishedVersion: number | null;
            closing: components["schemas"]["Closing"] | null;
            /** @description For optimistic concurrency; the ETag of reads */
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
                /** @description Arrivals: waiting + completed + skipped + stopped + failed */
                entered: number;
                waiting: number;
                completed: number;
                /** @description Left for a goal that was met */
                skipped: number;
                /** @description Included in `completed`: emails and messages suppressed by a gate */
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
            messages: {
                sms: components["schemas"]["MessageFigures"];
                push: components["schemas"]["MessageFigures"];
            };
            /** @description Contacts that met a goal, or submitted a form after entering the campaign */
            conversions: number;
            /** @description The goals that were met */
            goals: {
                /** @example wait-1 */
                stepId: string;
                /** @description Executions */
                met: number;
                /** @description Different contacts */
                contacts: number;
            }[];
        };
        CampaignsAnalytics: {
            /** @description What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours */
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
                /** @description Executions that began: a contact that enters twice counts twice. Email campaigns have none */
                entries: number;
                /** @description Executions that reached the end; not those that were stopped or failed */
                completions: number;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
                clickRate: number;
                /** @description Contacts that opened an email. Each counts once, so figures of parts of a period need not add up */
                contactsOpened: number;
                /** @description Contacts that clicked a link. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
                conversions: {
                    /** @description Goals of campaigns that were met */
                    total: number;
                    /** @description Contacts that met one. Each counts once, so figures of parts of a period need not add up */
                    contacts: number;
                    /** @description `contacts` of those that were mailed in the period. A fraction: 0.25 = 25% */
                    rate: number;
                };
            };
            byCampaign: {
                /** @example 1 */
                campaignId: number;
                /** @description Null if it was deleted */
                name: string | null;
                /** @description Executions that began: a contact that enters twice counts twice. Email campaigns have none */
                entries: number;
                /** @description Executions that reached the end; not those that were stopped or failed */
                completions: number;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
                clickRate: number;
                /** @description Contacts that opened an email. Each counts once, so figures of parts of a period need not add up */
                contactsOpened: number;
                /** @description Contacts that clicked a link. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
                conversions: {
                    /** @description Goals of campaigns that were met */
                    total: number;
                    /** @description Contacts that met one. Each counts once, so figures of parts of a period need not add up */
                    contacts: number;
                    /** @description `contacts` of those that were mailed in the period. A fraction: 0.25 = 25% */
                    rate: number;
                };
            }[];
            page: {
                /** @example 50 */
                limit: number;
                /** @description The cursor of the next page; null on the last page */
                nextCursor: string | null;
                hasMore: boolean;
            };
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Executions that began: a contact that enters twice counts twice. Email campaigns have none */
                entries: number;
                /** @description Executions that reached the end; not those that were stopped or failed */
                completions: number;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
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
        ChannelAnalytics: {
            /** @description The period that the figures cover */
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
            channels: {
                /** @enum {string} */
                channel: "email" | "sms" | "push";
                /** @description Messages that were queued: queued + sent + failed + suppressed + unknown */
                audience: number;
                /** @description Not ended: waiting, or being sent */
                queued: number;
                /** @description Accepted by a provider or a push service, including those that are delivered or undelivered */
                sent: number;
                /** @description Of `sent`: reported as delivered; of email: did not bounce */
                delivered: number;
                /** @description Of `sent`: reported as not delivered; of email: bounced */
                undelivered: number;
                /** @description Refused, or could not be sent */
                failed: number;
                /** @description Not sent, because a gate said no; see `suppressedBy` */
                suppressed: number;
                /** @description It is not known whether they were accepted */
                unknown: number;
                /** @description Clicks, without automated ones */
                clicks: number;
                /** @description Messages that were clicked for the first time */
                uniqueClicks: number;
                /** @description Decisions to get no more: unsubscribes of email, opt-outs of numbers, opt-outs from pushes */
                optOuts: number;
                /** @description Segments of text messages */
                segments: number;
                /** @description uniqueClicks of delivered; 0 if none is */
                clickRate: number;
            }[];
            /** @description The most frequent first */
            suppressedBy: {
                /** @enum {string} */
                channel: "email" | "sms" | "push";
                reason: string;
                count: number;
            }[];
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Messages that were queued: queued + sent + failed + suppressed + unknown */
                audience: number;
                /** @description Not ended: waiting, or being sent */
                queued: number;
                /** @description Accepted by a provider or a push service, including those that are delivered or undelivered */
                sent: number;
                /** @description Of `sent`: reported as delivered; of email: did not bounce */
                delivered: number;
                /** @description Of `sent`: reported as not delivered; of email: bounced */
                undelivered: number;
                /** @description Refused, or could not be sent */
                failed: number;
                /** @description Not sent, because a gate said no; see `suppressedBy` */
                suppressed: number;
                /** @description It is not known whether they were accepted */
                unknown: number;
                /** @description Clicks, without automated ones */
                clicks: number;
                /** @description Messages that were clicked for the first time */
                uniqueClicks: number;
                /** @description Decisions to get no more: unsubscribes of email, opt-outs of numbers, opt-outs from pushes */
                optOuts: number;
                /** @description Segments of text messages */
                segments: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        ChannelPreferences: {
            /** @example 1 */
            contactId: number;
            channels: {
                email: {
                    wanted: boolean;
                    reason: string | null;
                };
                sms: {
                    /** @enum {string} */
                    consent: "subscribed" | "unsubscribed" | "none";
                    /**
                     * Format: date-time
                     * @example 2030-01-31T09:30:00.000Z
                     */
                    at: string | null;
                    source: string | null;
                    evidence: {
                        source: string;
                        /** @description What was said or agreed to */
                        text: string | null;
                        ip: string | null;
                        /**
                         * Format: date-time
                         * @example 2030-01-31T09:30:00.000Z
                         */
                        at: string;
                    } | null;
                };
                push: {
                    /** @description Active subscriptions */
                    devices: number;
                };
            };
            topics: {
                /** @example 1 */
                topicId: number;
                name: string;
                email: boolean;
                sms: boolean;
                push: boolean;
            }[];
            /** @description No marketing from `from` to `to`, which may be on the next day */
            quietHours: {
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                to: string;
                /** @example Europe/Berlin */
                timezone: string;
            } | null;
            /** @enum {string|null} */
            preferredChannel: "email" | "sms" | "push" | null;
        };
        ChannelPreviewed: {
            /** @description Of a text message */
            text: string | null;
            payload: components["schemas"]["PushContent"] | null;
            /**
             * @description 3GPP TS 23.038
             * @enum {string|null}
             */
            encoding: "GSM-7" | "UCS-2" | null;
            characters: number | null;
            segments: number | null;
            /** @description The characters that GSM-7 lacks */
            ucs2Because: string[] | null;
            /** @description The size in UTF-8: of a text, or of what is encrypted for a browser (`payload`, the defaults of its site, a tag and a token; 3,993 at most) */
            bytes: number;
        };
        ChannelProvider: {
            /** @example 1 */
            id: number;
            /** @example Main */
            name: string;
            /** @enum {string} */
            channel: "sms" | "push";
            /** @enum {string} */
            type: "twilio" | "http" | "fcm";
            /**
             * @description `twilio`: `accountSid`, either `from` or `messagingServiceSid`, `baseUrl`. `http`: `url`, `from`, `headers` (shown; secrets belong in the credentials), `contentType` (`json` or `form`), `body` (Liquid texts over `to`, `from`, `text`, `messageId`), `idPath`, `idempotencyHeader`. `fcm`: `projectId`, `baseUrl`, `tokenUrl`
             * @example {
             *       "accountSid": "AC00000000000000000000000000000000",
             *       "from": "+15005550006"
             *     }
             */
            config: {
                [key: string]: unknown;
            };
            /** @description The lowest is used first; default 1 */
            priority: number;
            /** @description For all sender processes together */
            ratePerSecond: number | null;
            active: boolean;
            credentials: {
                [key: string]: true;
            };
            health: {
                /** @enum {string} */
                status: "UP" | "DEGRADED" | "DOWN";
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                since: string | null;
                lastError: string | null;
            };
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        ChannelProviderList: {
            data: components["schemas"]["ChannelProvider"][];
            page: components["schemas"]["Page"];
        };
        ChannelSettings: {
            /**
             * @description The most marketing messages of these channels together that a contact gets within `perDays` days
             * @example [
             *       {
             *         "channels": [
             *           "email",
             *           "sms",
             *           "push"
             *         ],
             *         "max": 3,
             *         "perDays": 7
             *       }
             *     ]
             */
            caps: {
                channels: ("email" | "sms" | "push")[];
                max: number;
                perDays: number;
            }[];
            /**
             * @description IANA timezone of the tenant: used where nobody knows that of a contact
             * @example Europe/Berlin
             */
            timezone: string;
            /**
             * @description `required`: marketing texts go only to numbers that have subscribed. `implied`: to all that have not opted out
             * @enum {string}
             */
            smsConsent: "required" | "implied";
            /** @description Further words that opt a number out if a received text consists of one of them */
            stopWords: string[];
            /** @description The answer to `help` */
            helpText: string | null;
            /** @description The answer to an opt-out by text */
            stopText: string | null;
            /** @description Ends the first marketing text to a number, and one each 30 days */
            optOutText: string | null;
            /** @description How long a message waits for open hours; then it is SUPPRESSED */
            maxHoldHours: number;
            /** @description Marketing messages of a channel are sent only within its window */
            sendWindows: {
                email: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
                sms: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
                push: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
            };
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        ChannelSuppression: {
            /** @example 1 */
            id: number;
            /** @enum {string} */
            channel: "sms" | "push";
            /** @description sms: the number (E.164). push: the email address in normalised form. Null if it was erased */
            address: string | null;
            /**
             * @example manual
             * @enum {string}
             */
            reason: "unsubscribed" | "invalid" | "complained" | "manual";
            /** @description Where it came from: `api`, `provider`, `text` or `page` */
            source: string;
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
        };
        ChannelSuppressionList: {
            data: components["schemas"]["ChannelSuppression"][];
            page: components["schemas"]["Page"];
        };
        ChannelTemplate: {
            /** @example 1 */
            id: number;
            /** @example Order shipped */
            name: string;
            /**
             * @description Liquid. Its http and https URLs become short links
             * @example Hi {{firstName}}, your order is on its way: https://example.com/orders
             */
            body: string;
            /** @enum {string} */
            channel: "sms" | "push";
            /**
             * @description Transactional messages pass consent, topics, caps and hours
             * @enum {string}
             */
            category: "marketing" | "transactional";
            /**
             * @description Marketing messages about a topic are not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId: number | null;
            /** @description Liquid. Required for pushes */
            title: string | null;
            /**
             * @description Where a click leads. Liquid
             * @example https://example.com/
             */
            url: string | null;
            /**
             * @description Liquid; else the icon of the site
             * @example https://example.com/
             */
            iconUrl: string | null;
            /**
             * @description Liquid
             * @example https://example.com/
             */
            imageUrl: string | null;
            /** @description How long push services keep it; default 86400 */
            ttlSeconds: number | null;
            /**
             * @description Default normal (RFC 8030)
             * @enum {string|null}
             */
            urgency: "very-low" | "low" | "normal" | "high" | null;
            /** @description A push that waits at the push service is replaced by the next one with the same key */
            collapseKey: string | null;
            /** @description Text messages: curly quotes, dashes, ellipses and the like become characters of GSM-7 */
            smartEncoding: boolean;
            /** @description Incremented by every change of the sent content */
            contentVersion: number;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        ChannelTemplateList: {
            data: components["schemas"]["ChannelTemplate"][];
            page: components["schemas"]["Page"];
        };
        CheckMessageRequest: {
            /** @example 1 */
            contactId: number;
            /** @enum {string} */
            channel: "email" | "sms" | "push";
            /** @description A template of the channel */
            templateId?: number;
            /**
             * @description Default: that of the template, or marketing
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /** @description Default: that of the template */
            topicId?: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            at?: string;
        };
        CheckedMessage: {
            allowed: boolean;
            gates: {
                gate: string;
                passed: boolean;
                reason: string | null;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            opensAt: string | null;
        };
        /** @description The progress of a stop: its executions are STOPPED at once, and of their `total` workflows, `left` are still to be closed. Null if none is left. Nothing has to be closed by a pause: steps wait when they are due */
        Closing: {
            left: number;
            total: number;
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        CompanyList: {
            data: components["schemas"]["Company"][];
            page: components["schemas"]["Page"];
        };
        CompanyScore: {
            /** @example 1 */
            companyId: number;
            /** @description From rules with the target `company` */
            totalScore: number;
            /** @description The sum of the scores of its contacts */
            contactsTotal: number;
            /** @enum {string} */
            qualification: "cold" | "warm" | "hot";
            /** @description A page of the changes, the latest first */
            history: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                eventType: string;
                /** @description Null if a campaign has given the points */
                ruleId: number | null;
                points: number;
                /** @description What the points are worth now */
                worth: number;
                /** @description The total when the change was made. What changes earlier points later, such as a replay, leaves it as it was told; points that a replay adds have the total after the replay */
                total: number;
                eventId: string;
            }[];
            page: components["schemas"]["Page"];
        };
        /** @description `CONDITION {if: <filter>, then?, branches?: [{if, next?}], else?}` goes to `then` if the filter holds, else to the `next` of the first branch whose filter holds, else to `else`; an omitted target is the following step, null the end */
        ConditionStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "CONDITION";
            config: {
                if: components["schemas"]["Filter"];
                /** @description A step id; null = the end */
                then?: string | null;
                branches?: {
                    if: components["schemas"]["Filter"];
                    /** @description A step id; null = the end */
                    next?: string | null;
                }[];
                /** @description A step id; null = the end */
                else?: string | null;
            };
        };
        ConfirmTotpRequest: {
            /**
             * @description The current code of the authenticator app
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
            /** @description The phone number in E.164 format; null if it cannot be parsed */
            phoneE164: string | null;
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
            /** @description Whether its data are being erased: from the request on it gets nothing and enters no campaign */
            erasing: boolean;
            tags: string[];
            customFields: {
                [key: string]: unknown;
            };
            jobTitle: string | null;
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
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description Scores that add up to `totalScore` */
            rules: {
                /** @description Null if a campaign has given the points */
                ruleId: number | null;
                name: string | null;
                /** @description What the points of the rule are worth now */
                score: number;
                /** @description The points as they were awarded */
                points: number;
                /** @description The number of events that the points are of */
                events: number;
                deleted: boolean;
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
            /** @description A page of the changes, the latest first */
            history: {
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                eventType: string;
                /** @description Null if a campaign has given the points */
                ruleId: number | null;
                points: number;
                /** @description What the points are worth now */
                worth: number;
                /** @description The total when the change was made. What changes earlier points later, such as a replay, leaves it as it was told; points that a replay adds have the total after the replay */
                total: number;
                eventId: string;
            }[];
            page: components["schemas"]["Page"];
        };
        ContactsAnalytics: {
            /** @description What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours */
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
                /** @description Contacts now, whatever the period is */
                total: number;
                /** @description Contacts that were created, also those that were deleted since */
                new: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
            };
            /** @description Now, whatever the period is */
            byStatus: {
                status: string;
                /** @description Contacts with this status now, whatever the period is */
                count: number;
            }[];
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Contacts that were created, also those that were deleted since */
                new: number;
                /** @description Contacts that unsubscribed, in whatever way */
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
             * @description Only permissions that the caller has
             * @example [
             *       "contacts:write"
             *     ]
             */
            permissions: components["schemas"]["PermissionName"][];
            /**
             * Format: date-time
             * @example 2099-01-31T09:30:00.000Z
             */
            expiresAt?: string | null;
        };
        /**
         * @example {
         *       "name": "Welcome",
         *       "trigger": {
         *         "type": "FORM_SUBMITTED",
         *         "formId": 1
         *       },
         *       "steps": [
         *         {
         *           "id": "hello",
         *           "type": "EMAIL",
         *           "config": {
         *             "templateId": 1
         *           }
         *         },
         *         {
         *           "id": "wait",
         *           "type": "WAIT",
         *           "config": {
         *             "waitMinutes": 1440
         *           }
         *         },
         *         {
         *           "id": "opened",
         *           "type": "CONDITION",
         *           "config": {
         *             "if": {
         *               "event": "EMAIL_OPENED",
         *               "operator": "atLeast",
         *               "count": 1,
         *               "where": [
         *                 {
         *                   "field": "stepId",
         *                   "operator": "eq",
         *                   "value": "hello"
         *                 }
         *               ]
         *             },
         *             "then": "more",
         *             "else": null
         *           }
         *         },
         *         {
         *           "id": "more",
         *           "type": "EMAIL",
         *           "config": {
         *             "templateId": 2
         *           }
         *         }
         *       ]
         *     }
         */
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
            /** @description For the prebuilt types, instead of `steps`: their 3, 5 or 2 templates in order */
            templateIds?: number[];
        };
        /**
         * @example {
         *       "name": "Main",
         *       "channel": "sms",
         *       "type": "twilio",
         *       "config": {
         *         "accountSid": "AC00000000000000000000000000000000",
         *         "from": "+15005550006"
         *       },
         *       "credentials": {
         *         "authToken": "secret"
         *       }
         *     }
         */
        CreateChannelProviderRequest: {
            /** @example Main */
            name: string;
            /** @enum {string} */
            channel: "sms" | "push";
            /** @enum {string} */
            type: "twilio" | "http" | "fcm";
            /**
             * @description `twilio`: `accountSid`, either `from` or `messagingServiceSid`, `baseUrl`. `http`: `url`, `from`, `headers` (shown; secrets belong in the credentials), `contentType` (`json` or `form`), `body` (Liquid texts over `to`, `from`, `text`, `messageId`), `idPath`, `idempotencyHeader`. `fcm`: `projectId`, `baseUrl`, `tokenUrl`
             * @example {
             *       "accountSid": "AC00000000000000000000000000000000",
             *       "from": "+15005550006"
             *     }
             */
            config: {
                [key: string]: unknown;
            };
            /** @description The lowest is used first; default 1 */
            priority?: number;
            /** @description For all sender processes together */
            ratePerSecond?: number | null;
            active?: boolean;
            /**
             * @description `twilio`: `authToken`. `http`: `headers`, `callbackSecret` (`whsec_…`). `fcm`: the JSON of a service account. Never shown
             * @example {
             *       "authToken": "secret"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            };
        };
        CreateChannelSuppressionRequest: {
            /** @enum {string} */
            channel: "sms" | "push";
            /** @example +442079460958 */
            address: string;
            /**
             * @example manual
             * @enum {string}
             */
            reason?: "unsubscribed" | "invalid" | "complained" | "manual";
        };
        CreateChannelTemplateRequest: {
            /** @example Order shipped */
            name: string;
            /**
             * @description Liquid. Its http and https URLs become short links
             * @example Hi {{firstName}}, your order is on its way: https://example.com/orders
             */
            body: string;
            /** @enum {string} */
            channel: "sms" | "push";
            /**
             * @description Transactional messages pass consent, topics, caps and hours
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing messages about a topic are not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId?: number | null;
            /** @description Liquid. Required for pushes */
            title?: string | null;
            /**
             * @description Where a click leads. Liquid
             * @example https://example.com/
             */
            url?: string | null;
            /**
             * @description Liquid; else the icon of the site
             * @example https://example.com/
             */
            iconUrl?: string | null;
            /**
             * @description Liquid
             * @example https://example.com/
             */
            imageUrl?: string | null;
            /** @description How long push services keep it; default 86400 */
            ttlSeconds?: number | null;
            /**
             * @description Default normal (RFC 8030)
             * @enum {string|null}
             */
            urgency?: "very-low" | "low" | "normal" | "high" | null;
            /** @description A push that waits at the push service is replaced by the next one with the same key */
            collapseKey?: string | null;
            /** @description Text messages: curly quotes, dashes, ellipses and the like become characters of GSM-7 */
            smartEncoding?: boolean;
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
            /** @example 1 */
            companyId?: number | null;
            /**
             * @description Only `unsubscribed` and `archived` can be set
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
            /** @example Engineer */
            jobTitle?: string | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            /** @example de-AT */
            locale?: string | null;
            /** @example fair */
            source?: string | null;
            /** @description The name of a company, matched case-insensitively; created if it does not exist. Not together with `companyId` */
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
             * @description Values of type date are strings such as 2030-12-31
             * @example string
             * @enum {string}
             */
            type: "string" | "number" | "boolean" | "date" | "enum";
            /**
             * @description The values of an enum; not allowed for other types
             * @example [
             *       "small",
             *       "large"
             *     ]
             */
            options?: string[] | null;
            description?: string | null;
        };
        /**
         * @example {
         *       "name": "May newsletter",
         *       "templateId": 1,
         *       "segmentId": 1
         *     }
         */
        CreateEmailCampaignRequest: {
            /** @example May newsletter */
            name: string;
            /** @description Alternatively, give `variants` */
            templateId?: number | null;
            /** @description The segment or list of recipients */
            segmentId?: number | null;
            /** @description Alias of `segmentId` */
            listId?: number | null;
            /**
             * @description `recipient_local_time` sends at the local time of each recipient: the time of day of `scheduledAt` in `timezone`
             * @enum {string|null}
             */
            scheduleType?: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt?: string | null;
            /**
             * @description Five cron fields, for recurring campaigns
             * @example 0 9 * * 1
             */
            cron?: string | null;
            /**
             * @description IANA timezone of `cron` and of the local time; default UTC
             * @example Europe/Berlin
             */
            timezone?: string | null;
            ratePerMinute?: number | null;
            /** @description Which emails and messages get the slots of a frequency cap: those with the higher priority; default 5 */
            priority?: number;
            /**
             * @description The variants to compare, instead of `templateId`
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
                 * @description Fraction of delivered emails whose recipient opened or clicked; `opens` is an alias of `openRate`, `clicks` of `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from when delivery of the test has ended */
                afterMinutes: number;
                /** @description Percentage of the audience that gets the test; the others get the winning variant */
                testPercent: number;
            } | null;
        };
        CreateFormRequest: {
            name: string;
            /**
             * @example [
             *       {
             *         "name": "email",
             *         "label": "Your email",
             *         "type": "email",
             *         "required": true
             *       },
             *       {
             *         "name": "firstName",
             *         "label": "First name",
             *         "type": "text"
             *       }
             *     ]
             */
            fields: {
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "file" | "consent" | "rating";
                id?: number;
                /** @description Always true for the email address field */
                required?: boolean;
                placeholder?: string | null;
                defaultValue?: string | null;
                displayOrder?: number;
                /** @description Must match the entire text; RE2 syntax. Without maxLength, the text can have at most 1000 characters */
                validationRegex?: string | null;
                minLength?: number | null;
                maxLength?: number | null;
                /** @description The least value of a field of type number or rating */
                min?: number | null;
                /** @description The greatest value of a field of type number or rating */
                max?: number | null;
                options?: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; defaults to the contact field of the same name */
                mapTo?: string | null;
                /** @description For the type file: the accepted media types, in lower case; `image/*` means all images. What a file is, is judged by its content */
                accept?: string[] | null;
                /** @description For the type file: the maximum size; the service's limit is `FORM_FILE_MAX_BYTES` (default 10 MiB) */
                maxBytes?: number | null;
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
            /** @description A new contact is `pending` until it confirms its address with the link in an email */
            doubleOptIn?: boolean;
            /** @description What is known about the contact of a `contactToken` is not asked again; of `progressiveFields`, only the first that is not known is asked */
            enableProgressiveProfiling?: boolean;
            /** @description A submission must prove that it is made by a person */
            enableCaptcha?: boolean;
            /** @description Each gets an email with the values of each submission; answers to it go to the submitter */
            notifyEmails?: string[] | null;
            /** @description Names of fields, in the order of asking */
            progressiveFields?: string[] | null;
        };
        CreateInvitationRequest: {
            /** @example someone@example.com */
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
            /** @description For static lists: a form that adds contacts to the list asks them to confirm their address first */
            doubleOptIn?: boolean;
        };
        CreatePushSiteRequest: {
            /** @example Website */
            name: string;
            /**
             * @description The origins whose pages may subscribe: https, or http://localhost
             * @example [
             *       "https://www.example.com"
             *     ]
             */
            origins: string[];
            /**
             * @description Told to push services, for questions about the pushes: `mailto:` or `https:` (RFC 8292)
             * @example mailto:web@example.com
             */
            subject: string;
            /** @description Shown with pushes whose template has no icon */
            iconUrl?: string | null;
            /** @description Opened by a click on a push whose template has no URL */
            defaultUrl?: string | null;
        };
        CreatePushSubscriptionAnswer: {
            /** @example 1 */
            id: number;
            /** @description Ends or replaces the subscription */
            token: string;
        };
        /**
         * @example {
         *       "siteKey": "the siteKey of the site",
         *       "subscription": {
         *         "endpoint": "https://fcm.googleapis.com/fcm/send/example",
         *         "keys": {
         *           "p256dh": "BMu2PbqCMtRMLBpHVt632wFgFvITieRafNjZ1Qzg1fd-y2dc00RJvD2689WnuP4Dr043Sb7-K00eUQxhDmcJ7QI",
         *           "auth": "LWLJB4CIPfpX2DdDxKQ3EQ"
         *         }
         *       }
         *     }
         */
        CreatePushSubscriptionRequest: {
            siteKey?: string;
            subscription?: {
                endpoint: string;
                expirationTime?: number | null;
                keys: {
                    p256dh: string;
                    auth: string;
                };
            };
            /** @description From `{{contactToken}}` in an email, or of a form */
            contactToken?: string | null;
            /** @description The browser's former subscription: its endpoint, or the token that was answered for it */
            replaces?: string | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            /** @example de-DE */
            locale?: string | null;
            /** @example 1 */
            contactId?: number;
            /**
             * @description `fcm` is for apps, and needs a token of the API
             * @enum {string}
             */
            type?: "webpush" | "fcm";
            /** @description The registration token of an app */
            token?: string;
            /** @example android */
            platform?: string | null;
        };
        CreateReportRequest: {
            /** @example Monthly report */
            name: string;
            /**
             * @description The figures of the endpoint with this name
             * @enum {string}
             */
            type: "dashboard" | "campaigns" | "contacts" | "emails" | "forms";
            /** @enum {string} */
            format: "json" | "csv" | "pdf" | "xlsx";
            /**
             * @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone`
             * @example 2026-01-31T09:30:00.000Z
             */
            from?: string;
            /**
             * @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone`
             * @example 2026-01-31T09:30:00.000Z
             */
            to?: string;
            /**
             * @description Of figures over time. Null = `day`; with a schedule for each day, `hour`
             * @enum {string|null}
             */
            interval?: "hour" | "day" | "week" | "month" | null;
            /**
             * @description UTC if absent
             * @example Europe/Warsaw
             */
            timezone?: string;
            /** @description Makes the report again at the times of `cron`, at most once an hour: its first field must be one minute. Null = once */
            schedule?: {
                /**
                 * @description Five cron fields: minute, hour, day of the month, month, day of the week. A local time that the clocks skip does not come on that day; one that occurs twice comes once, the second time
                 * @example 0 9 * * MON
                 */
                cron: string;
                /** @example Europe/Warsaw */
                timezone: string;
                /** @description Addresses of active users with the permission `analytics:read`, who get the file by email. It goes to those who still are when it is made */
                recipients: string[];
                /**
                 * @description Each report is on the last whole day, week (from Monday) or month before its time
                 * @enum {string}
                 */
                period: "day" | "week" | "month";
            } | null;
        };
        CreateRoleRequest: {
            /** @example Editor */
            name: string;
            description?: string | null;
            /**
             * @description Names of permissions; only permissions that the caller has
             * @example [
             *       "contacts:read",
             *       "contacts:write"
             *     ]
             */
            permissions: components["schemas"]["PermissionName"][];
        };
        CreateScoreThresholdRequest: {
            /** @example Ready to buy */
            name: string;
            /** @example 50 */
            score: number;
            /**
             * @description `NOTIFY` emails an active user of the account. `WEBHOOK` sends a POST to the URL (https), signed as Standard Webhooks says with the secret of `GET /webhooks/default`: `{type: "SCORE_THRESHOLD_REACHED", timestamp, data: {thresholdId, name, score, contactId, totalScore, tenantId}}`. Every attempt has the same `webhook-id`; without an answer, and after 408, 425, 429 and 5xx, it is repeated for an hour
             * @example {
             *       "type": "ADD_TO_LIST",
             *       "listId": 1
             *     }
             */
            action?: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN" | "NOTIFY" | "WEBHOOK";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
                /** @description The address of an active user */
                to?: string;
                url?: string;
            } & (unknown & unknown & unknown & unknown);
        };
        CreateScoringRuleRequest: {
            /** @example Email opened */
            name: string;
            /**
             * @description The event that scores; cannot be changed
             * @example EMAIL_OPENED
             * @enum {string}
             */
            eventType: "CONTACT_CREATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "WEBSITE_VISITED";
            /** @example 5 */
            points: number;
            /**
             * @description Who gets the points: the contact of the event, or the company that it belongs to then. Cannot be changed
             * @enum {string}
             */
            target?: "contact" | "company";
            category?: string | null;
            weight?: number;
            conditions?: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[];
            /** @description The most points that the rule gives one contact in all, or takes away if `points` is negative, however old they are. For `target: company` it limits what the rule gives one company, whichever contacts the events are of. When two contacts are merged, the points of both stay, also beyond it */
            maxPerContact?: number | null;
            /** @description How points lose worth; null if they keep it. Points keep the half-life they were awarded with */
            decay?: {
                /**
                 * @description The days after which points of an event are worth half
                 * @example 30
                 */
                halfLifeDays: number;
            } | null;
            active?: boolean;
        };
        /**
         * @example {
         *       "name": "Active customers",
         *       "type": "dynamic",
         *       "filter": {
         *         "field": "status",
         *         "operator": "eq",
         *         "value": "active"
         *       }
         *     }
         */
        CreateSegmentOrListRequest: {
            /** @example Active customers */
            name: string;
            description?: string | null;
            /**
             * @description By default `dynamic` with a `filter`, and `static` without one
             * @enum {string}
             */
            type?: "dynamic" | "static";
            filter?: components["schemas"]["Filter"] | null;
            /**
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @description For static lists: a form that adds contacts to the list asks them to confirm their address first */
            doubleOptIn?: boolean;
        };
        /**
         * @example {
         *       "name": "Active customers",
         *       "type": "dynamic",
         *       "filter": {
         *         "field": "status",
         *         "operator": "eq",
         *         "value": "active"
         *       }
         *     }
         */
        CreateSegmentRequest: {
            /** @example Active customers */
            name: string;
            description?: string | null;
            /**
             * @description `dynamic`: the contacts that match `filter`; `static`: a list of added contacts
             * @enum {string}
             */
            type: "dynamic" | "static";
            filter?: components["schemas"]["Filter"] | null;
            /**
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @description For static lists: a form that adds contacts to the list asks them to confirm their address first */
            doubleOptIn?: boolean;
        };
        CreateSenderRequest: {
            /**
             * @description The From address
             * @example news@example.com
             */
            email: string;
            /**
             * @description Default display name of the From address, for templates without one
             * @example Example News
             */
            name?: string | null;
            /**
             * @description Default Reply-To address, for templates without one
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
             * @description HTML, or MJML, with Liquid. Variables are the fields of the contact (`{{firstName}}` or `{{contact.firstName}}`, `{{company}}`, `{{company.domain}}`, `{{customFields.x}}`), `{{data.x}}` of the call that sends, and the links `{{unsubscribeUrl}}`, `{{preferencesUrl}}`, `{{webViewUrl}}`, `{{formUrl: 1}}` (the page of the form with this id) and `{{contactToken}}`; `GET /emails/templates/variables` lists all. What has no value prints nothing: `{{firstName | default: "there"}}`
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content: string;
            /** @description The plain-text part, with Liquid; generated from `content` if absent */
            text?: string | null;
            /** @description Preview text that inboxes show next to the subject */
            previewText?: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing email about a topic is not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId?: number | null;
            fromName?: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a verified domain; null = the default sender
             * @example someone@example.com
             */
            fromEmail?: string | null;
            /** @example someone@example.com */
            replyTo?: string | null;
        };
        CreateTopicRequest: {
            /**
             * @description Shown to recipients on the preference page
             * @example Product news
             */
            name: string;
            /** @description Shown below the name on the preference page */
            description?: string | null;
        };
        CreateWebhookRequest: {
            /** @example CRM */
            name: string;
            /**
             * @description https, without a user name. It must not lead to a private address; that is checked here for an address, and for a name at each attempt
             * @example https://www.example.com/hook
             */
            url: string;
            /**
             * @description The events that it wants (`GET /webhooks/event-types`), or `["*"]` for all
             * @example [
             *       "CONTACT_CREATED",
             *       "CONTACT_UPDATED"
             *     ]
             */
            types: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED" | "*")[];
            /** @description Conditions on the event, like the `where` of a segment's event leaf; all must hold. A field must be one of at least one of the types: `templateId`, `campaignId` and so on, or one of the event's data. Events without the field have a missing value, which fails every operator but `ne`, `notIn` and `notExists` */
            filter?: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[] | null;
            /**
             * @description `standard`: `{type, timestamp, sequence, data}`. `cloudevents`: the CloudEvent in structured JSON, with the extension `sequence`. `data` is the same as on NATS
             * @enum {string}
             */
            format?: "standard" | "cloudevents";
            /**
             * @description `v1`: HMAC-SHA256 with `secret`. `v1a`: Ed25519, verified with `publicKey`. Another one makes another key; to see the secret of v1, rotate it then
             * @enum {string}
             */
            signature?: "v1" | "v1a";
            /**
             * @description `contact`: what concerns one contact (or else one resource) is sent one by one; the next one waits until the one before is DELIVERED or FAILED
             * @enum {string}
             */
            ordering?: "none" | "contact";
            /** @description `contact`: the contact as it is at the attempt, in `data.contact`; left out if the body would exceed 256 KiB */
            include?: "contact"[];
            /** @description The most requests that are open at once. One, after an answer that took over 5 s or a failure */
            maxInFlight?: number;
            /** @description How long an answer may take */
            timeoutMs?: number;
            /** @description While false, what matches is held; it is sent when this becomes true */
            active?: boolean;
            /** @description Further headers of each request; their values are never shown. Not `host`, `content-*`, `webhook-*` and those of the connection */
            headers?: {
                [key: string]: string | boolean;
            };
        };
        CreatedWebhook: {
            /** @example 1 */
            id: number;
            /** @example CRM */
            name: string;
            /**
             * @description https, without a user name. It must not lead to a private address; that is checked here for an address, and for a name at each attempt
             * @example https://www.example.com/hook
             */
            url: string;
            /**
             * @description The events that it wants (`GET /webhooks/event-types`), or `["*"]` for all
             * @example [
             *       "CONTACT_CREATED",
             *       "CONTACT_UPDATED"
             *     ]
             */
            types: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED" | "*")[];
            /** @description Conditions on the event, like the `where` of a segment's event leaf; all must hold. A field must be one of at least one of the types: `templateId`, `campaignId` and so on, or one of the event's data. Events without the field have a missing value, which fails every operator but `ne`, `notIn` and `notExists` */
            filter: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[] | null;
            /**
             * @description `standard`: `{type, timestamp, sequence, data}`. `cloudevents`: the CloudEvent in structured JSON, with the extension `sequence`. `data` is the same as on NATS
             * @enum {string}
             */
            format: "standard" | "cloudevents";
            /**
             * @description `v1`: HMAC-SHA256 with `secret`. `v1a`: Ed25519, verified with `publicKey`. Another one makes another key; to see the secret of v1, rotate it then
             * @enum {string}
             */
            signature: "v1" | "v1a";
            /**
             * @description `contact`: what concerns one contact (or else one resource) is sent one by one; the next one waits until the one before is DELIVERED or FAILED
             * @enum {string}
             */
            ordering: "none" | "contact";
            /** @description `contact`: the contact as it is at the attempt, in `data.contact`; left out if the body would exceed 256 KiB */
            include: "contact"[];
            /** @description The most requests that are open at once. One, after an answer that took over 5 s or a failure */
            maxInFlight: number;
            /** @description How long an answer may take */
            timeoutMs: number;
            /** @description While false, what matches is held; it is sent when this becomes true */
            active: boolean;
            headers: {
                [key: string]: true;
            };
            /**
             * @description `manual`: by a PUT. `gone`: it answered 410. `failing`: it accepted nothing for five days, in 20 attempts or more
             * @enum {string|null}
             */
            disabledReason: "manual" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastSuccessAt: string | null;
            /** @description `whpk_` and base64, of v1a */
            publicKey: string | null;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description `whsec_` and base64 of 32 bytes: cannot be read again */
            secret: string | null;
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
             * @description Values of type date are strings such as 2030-12-31
             * @example string
             * @enum {string}
             */
            type: "string" | "number" | "boolean" | "date" | "enum";
            /** @description The allowed values of an enum */
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        CustomFieldList: {
            data: components["schemas"]["CustomField"][];
            page: components["schemas"]["Page"];
        };
        Dashboard: {
            /** @description What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours */
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
                /** @description Contacts now, whatever the period is */
                total: number;
                /** @description Contacts that were created, also those that were deleted since */
                new: number;
            };
            emails: {
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
                clickRate: number;
                /** @description Contacts that opened an email. Each counts once, so figures of parts of a period need not add up */
                contactsOpened: number;
                /** @description Contacts that clicked a link. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
            };
            conversions: {
                /** @description `goals` and `submissions` */
                total: number;
                /** @description Goals of campaigns that were met */
                goals: number;
                /** @description Submissions of forms */
                submissions: number;
                /** @description Contacts that met a goal or submitted a form. Each counts once, so figures of parts of a period need not add up */
                contacts: number;
                /** @description `contacts` of those that were mailed in the period. A fraction: 0.25 = 25% */
                rate: number;
            };
            campaigns: {
                /** @description Campaigns that are ACTIVE now, whatever the period is */
                active: number;
                /** @description Executions that are RUNNING, one for each contact in a campaign, now, whatever the period is */
                running: number;
                /** @description Executions that reached the end: a contact that completes two campaigns counts twice */
                completed: number;
            };
            forms: {
                /** @description Views of forms */
                views: number;
                /** @description Submissions that were accepted */
                submissions: number;
            };
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Contacts that were created, also those that were deleted since */
                contacts: number;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description Views of forms */
                views: number;
                /** @description Submissions that were accepted */
                submissions: number;
                /** @description `goals` and `submissions` */
                conversions: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        DefaultWebhookKey: {
            /** @constant */
            signature: "v1";
            /** @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw */
            secret: string;
        };
        DownloadReportAnswer: {
            /** @enum {string} */
            type: "dashboard" | "campaigns" | "contacts" | "emails" | "forms";
            title: string;
            tenantId: string;
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
            previousPeriod: {
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
            };
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            generatedAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
            notes: string[];
            keyFigures: {
                /**
                 * @description Its name in the answers of the API
                 * @example sent
                 */
                key: string;
                /** @example Sent */
                label: string;
                /**
                 * @description percent: a fraction, 0.25 = 25%
                 * @enum {string}
                 */
                kind: "integer" | "percent";
                value: number;
                /** @description In the period before; null for what is counted now */
                previous: number | null;
                /** @description integer: as a fraction of `previous`, null if that is 0; percent: the difference */
                change: number | null;
                higherIsBetter: boolean | null;
            }[];
            charts: {
                title: string;
                /** @enum {string} */
                kind: "line" | "bar";
                /**
                 * @description percent: a fraction, 0.25 = 25%
                 * @enum {string}
                 */
                unit: "integer" | "percent";
                /**
                 * @description What the points are: times, or names
                 * @enum {string}
                 */
                over: "at" | "name";
                points: string[];
                series: {
                    /**
                     * @description Its name in the answers of the API
                     * @example sent
                     */
                    key: string;
                    /** @example Sent */
                    label: string;
                    values: number[];
                }[];
            }[];
            tables: {
                /**
                 * @description Its name in the answers of the API
                 * @example sent
                 */
                key: string;
                title: string;
                columns: {
                    /**
                     * @description Its name in the answers of the API
                     * @example sent
                     */
                    key: string;
                    /** @example Sent */
                    label: string;
                    /** @enum {string} */
                    kind: "integer" | "percent" | "text" | "id" | "at";
                }[];
                rows: (string | number | null)[][];
            }[];
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
            /** @description Alternatively, give `variants` */
            templateId: number | null;
            /** @description The segment or list of recipients */
            segmentId: number | null;
            /** @description Alias of `segmentId` */
            listId: number | null;
            /**
             * @description `recipient_local_time` sends at the local time of each recipient: the time of day of `scheduledAt` in `timezone`
             * @enum {string|null}
             */
            scheduleType: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt: string | null;
            /**
             * @description Five cron fields, for recurring campaigns
             * @example 0 9 * * 1
             */
            cron: string | null;
            /**
             * @description IANA timezone of `cron` and of the local time; default UTC
             * @example Europe/Berlin
             */
            timezone: string | null;
            ratePerMinute: number | null;
            /** @description Which emails and messages get the slots of a frequency cap: those with the higher priority; default 5 */
            priority: number;
            /**
             * @description The variants to compare, instead of `templateId`
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
                 * @description Fraction of delivered emails whose recipient opened or clicked; `opens` is an alias of `openRate`, `clicks` of `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from when delivery of the test has ended */
                afterMinutes: number;
                /** @description Percentage of the audience that gets the test; the others get the winning variant */
                testPercent: number;
            } | null;
            /** @description Name of the winning variant */
            winnerVariant: string | null;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "PAUSED" | "SENT" | "CANCELLED" | "FAILED";
            /** @description Why the campaign FAILED */
            error: string | null;
            /** @description Why the service paused the campaign; null if a user did, or if it is not PAUSED */
            pauseReason: string | null;
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
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description Why the service paused the campaign; null if a user did, or if it is not PAUSED */
            pauseReason: string | null;
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
            /** @description As a fraction of `delivered` */
            openRate: number;
            /** @description As a fraction of `delivered` */
            clickRate: number;
            links: {
                /** @description As the template has it, with its Liquid, so that a link that is different for each recipient is one link. Contains no data of recipients */
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
                /** @description As a fraction of `delivered` */
                openRate: number;
                /** @description As a fraction of `delivered` */
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
                /** @description Default: every day */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM, up to 24:00; exclusive
                 * @example 17:00
                 */
                to: string;
                /**
                 * @description An IANA timezone, or `contact` for the contact's own
                 * @example Europe/Berlin
                 */
                timezone: string;
            } | null;
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        /** @description `EMAIL {templateId}` sends the template to the contact */
        EmailStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "EMAIL";
            config: {
                templateId: number;
            };
        };
        EmailsAnalytics: {
            /** @description What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours */
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
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
                clickRate: number;
                /** @description Contacts that opened an email. Each counts once, so figures of parts of a period need not add up */
                contactsOpened: number;
                /** @description Contacts that clicked a link. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
            };
            /** @description The row with `templateId` null is what belongs to no template */
            byTemplate?: {
                /** @example 1 */
                templateId: number | null;
                /** @description Null if it was deleted */
                name: string | null;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
                clickRate: number;
                /** @description Contacts that opened an email. Each counts once, so figures of parts of a period need not add up */
                contactsOpened: number;
                /** @description Contacts that clicked a link. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
            }[];
            byLink?: {
                /** @example 1 */
                linkId: number;
                /** @description Null if it was erased, because it named a person */
                url: string | null;
                /** @description Clicks by people */
                clicks: number;
                /** @description Contacts that clicked it. Each counts once, so figures of parts of a period need not add up */
                contactsClicked: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
            }[];
            page: {
                /** @example 50 */
                limit: number;
                /** @description The cursor of the next page; null on the last page */
                nextCursor: string | null;
                hasMore: boolean;
            };
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users */
                sent: number;
                /** @description `sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up */
                delivered: number;
                /** @description Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced */
                failed: number;
                /** @description Opens by people: an email that is opened twice counts twice */
                opens: number;
                /** @description Emails that were opened by people: each counts once, at its first open */
                uniqueOpens: number;
                /** @description Clicks by people: an email with two clicks counts twice */
                clicks: number;
                /** @description Emails with a click by people: each counts once, at its first click */
                uniqueClicks: number;
                /** @description By machines; not among `opens` */
                automatedOpens: number;
                /** @description By machines; not among `clicks` */
                automatedClicks: number;
                /** @description Emails that came back, hard or soft; each counts once, when it first bounced */
                bounces: number;
                /** @description Contacts that unsubscribed, in whatever way */
                unsubscribes: number;
                /** @description `uniqueOpens` of `delivered`. A fraction: 0.25 = 25% */
                openRate: number;
                /** @description `uniqueClicks` of `delivered`. A fraction: 0.25 = 25% */
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
            /**
             * @description MANUAL: by `start`
             * @enum {string}
             */
            trigger: "MANUAL" | "SCHEDULE" | "DATE";
            /**
             * Format: date-time
             * @description The time for which the schedule fired; null if MANUAL
             */
            scheduledAt: string | null;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "CANCELLED";
            /** @example 1 */
            segmentId: number | null;
            enrolled: number;
            /** @description Contacts excluded by the entry rules */
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
        /** @description Rules for entering the campaign and for pacing its emails */
        Entry: {
            /**
             * @description Default never; after_completion if the trigger fires again for the same contact by itself (SCHEDULE, and DATE with `annual`)
             * @enum {unknown}
             */
            reentry?: "never" | "after_completion" | "always";
            /** @description Minimum minutes between two entries of a contact; default 0 */
            minIntervalMinutes?: number;
            /** @description Default true */
            exitOnUnsubscribe?: boolean;
            /** @description Steps that send wait until the window opens */
            sendWindow?: {
                /** @description Default: every day */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM, up to 24:00; exclusive
                 * @example 17:00
                 */
                to: string;
                /**
                 * @description An IANA timezone, or `contact` for the contact's own
                 * @example Europe/Berlin
                 */
                timezone: string;
            } | null;
            /** @description Maximum number of marketing emails (or messages of `channels`) to a contact within `perDays` days; further ones are suppressed */
            frequencyCap?: {
                maxEmails: number;
                perDays: number;
                /** @description What is counted and limited, all together; default `[email]` */
                channels?: ("email" | "sms" | "push")[];
            } | null;
            /** @description Of two messages of which the caps of the settings allow one, the higher is sent; default 5 */
            priority?: number;
        };
        /** @description With explain=true: the build of the segment (when it was created, or its filter was changed) that made the contact a member; builds write no SEGMENT_ENTERED and fire no triggers. Null if a change brought the contact in */
        EntryBuild: {
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            beganAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            endedAt: string | null;
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
                 * @description Number of erased records by place
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        ErasureList: {
            data: components["schemas"]["Erasure"][];
            page: components["schemas"]["Page"];
        };
        /**
         * @description Stable error code; branch on this
         * @enum {string}
         */
        ErrorCode: "validation_failed" | "malformed_request" | "malformed_json" | "malformed_body" | "token_invalid" | "invalid_link" | "unsupported_file" | "unauthorized" | "token_expired" | "token_revoked" | "invalid_credentials" | "forbidden" | "registration_disabled" | "email_unverified" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "username_taken" | "email_taken" | "name_taken" | "in_use" | "no_provider" | "limit_reached" | "dns_record_invalid" | "idempotency_conflict" | "last_admin" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "template_limit" | "too_many_requests" | "headers_too_large" | "internal" | "captcha_unavailable" | "no_room_for_files" | "unavailable";
        /** @description A condition on a field of an event */
        EventFieldLeaf: {
            /** @description A field of the event. CONTACT_UNSUBSCRIBED: `templateId`, `campaignId`, `emailId`; EMAIL_SENT: `templateId`, `campaignId`, `emailId`; EMAIL_OPENED: `templateId`, `campaignId`, `emailId`; EMAIL_CLICKED: `templateId`, `campaignId`, `emailId`, `url`; EMAIL_BOUNCED: `templateId`, `campaignId`, `emailId`; MESSAGE_SENT: `templateId`, `campaignId`, `messageId`, `channel`; MESSAGE_DELIVERED: `templateId`, `campaignId`, `messageId`, `channel`; MESSAGE_CLICKED: `templateId`, `campaignId`, `messageId`, `channel`, `url`; MESSAGE_RECEIVED: `channel`, `optOut`; CHANNEL_SUBSCRIBED: `channel`; CHANNEL_UNSUBSCRIBED: `channel`; FORM_SUBMITTED: `formId`; CAMPAIGN_TRIGGERED: `campaignId`; CAMPAIGN_COMPLETED: `campaignId`; GOAL_MET: `campaignId`; SEGMENT_ENTERED: `segmentId`; SEGMENT_LEFT: `segmentId`; WEBSITE_VISITED: `url`, `referrer`, `title`. In campaigns, events of emails and messages also have `stepId`: the step of this execution that sent it */
            field: string;
            /** @enum {unknown} */
            operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
            /** @description Of the type of the field; a list for `in`, `notIn` and `between`; none for `exists` and `notExists` */
            value?: string | number | boolean | (string | number | boolean)[] | null;
        };
        /** @description How often an event happened to the contact; automated opens and clicks do not count */
        EventLeaf: {
            /** @enum {unknown} */
            event: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "WEBSITE_VISITED";
            /**
             * @description `none` ignores `count`
             * @enum {unknown}
             */
            operator: "atLeast" | "atMost" | "none";
            /** @description Default 1 */
            count?: number;
            /** @description Only events of the last `withinDays` × 24 hours */
            withinDays?: number;
            /** @description All of them must hold for an event to count */
            where?: components["schemas"]["EventFieldLeaf"][];
        };
        Execution: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            campaignVersion: number;
            /** @example 1 */
            contactId: number;
            entryNo: number;
            /** @description Index into `steps`; if COMPLETED, the number of steps */
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
             * @description Null if the campaign has no steps: the execution completes immediately, without a workflow
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
            /** @description Index into `steps`; if COMPLETED, the number of steps */
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
             * @description Null if the campaign has no steps: the execution completes immediately, without a workflow
             * @example campaign-execution/default/7/42/1
             */
            workflowId: string | null;
            runId: string | null;
            steps: {
                /** @example wait-1 */
                stepId: string;
                visit: number;
                type: string;
                /** @description `success`, `suppressed`, `then`, `else`, `branch-1`…, `event`, `timeout`, `met`, `not_met`, `stop` or `failed`; `skipped`: left for a goal that was met */
                result: string;
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                executedAt: string;
                /** @description Time from reaching the step to completing it, including waiting */
                durationMs: number;
            }[];
        };
        /** @description `EXIT {}` stops the execution */
        ExitStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "EXIT";
            config?: Record<string, never>;
        };
        ExplainCampaignContactAnswer: {
            /** @example 1 */
            campaignId: number;
            /** @example 1 */
            contactId: number;
            inCampaign: boolean;
            /** @description Whether the campaign, the contact and the entry rules (reentry, interval) let it enter now */
            canEnter: boolean;
            checks: {
                /** @enum {string} */
                check: "campaign" | "contact" | "reentry" | "interval" | "trigger" | "segment" | "enrolment";
                passed: boolean;
                reason: string;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string | null;
            }[];
            executions: components["schemas"]["Execution"][];
        };
        /** @description Explains the latest email; if there is none, what prevents one */
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
            /** @description All matching emails, latest first */
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
        /** @description A condition on a field of the contact. A missing value fails every operator but `ne`, `notIn` and `notExists` */
        FieldLeaf: {
            /** @description A contact field, `customFields.x`, `tags`, `company.x` (`name`, `domain`, `industry`, `address`, `employeeCount`), `score`, `qualification`, `listId`, `segmentId` */
            field: string;
            /** @enum {unknown} */
            operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
            /** @description Of the type of the field; a list for `in`, `notIn` and `between`; none for `exists` and `notExists` */
            value?: string | number | boolean | (string | number | boolean)[] | null;
        };
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
        Filter: components["schemas"]["FilterGroup"] | components["schemas"]["FieldLeaf"] | components["schemas"]["EventLeaf"];
        /** @description Conditions that are combined */
        FilterGroup: {
            /**
             * @description `not`: none of the conditions holds
             * @enum {unknown}
             */
            op: "and" | "or" | "not";
            /** @description Groups nest up to 10 deep */
            conditions: components["schemas"]["Filter"][];
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
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "file" | "consent" | "rating";
                /** @description Always true for the email address field */
                required: boolean;
                placeholder: string | null;
                defaultValue: string | null;
                displayOrder: number;
                /** @description Must match the entire text; RE2 syntax. Without maxLength, the text can have at most 1000 characters */
                validationRegex: string | null;
                minLength: number | null;
                maxLength: number | null;
                /** @description The least value of a field of type number or rating */
                min: number | null;
                /** @description The greatest value of a field of type number or rating */
                max: number | null;
                options: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; defaults to the contact field of the same name */
                mapTo: string | null;
                /** @description For the type file: the accepted media types, in lower case; `image/*` means all images. What a file is, is judged by its content */
                accept: string[] | null;
                /** @description For the type file: the maximum size; the service's limit is `FORM_FILE_MAX_BYTES` (default 10 MiB) */
                maxBytes: number | null;
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
            /** @description A new contact is `pending` until it confirms its address with the link in an email */
            doubleOptIn: boolean;
            /** @description What is known about the contact of a `contactToken` is not asked again; of `progressiveFields`, only the first that is not known is asked */
            enableProgressiveProfiling: boolean;
            /** @description A submission must prove that it is made by a person */
            enableCaptcha: boolean;
            /** @description Each gets an email with the values of each submission; answers to it go to the submitter */
            notifyEmails: string[];
            /** @description Names of fields, in the order of asking */
            progressiveFields: string[];
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        FormCaptcha: {
            /** @enum {string} */
            algorithm: "SHA-256";
            challenge: string;
            maxnumber: number;
            salt: string;
            signature: string;
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
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "file" | "consent" | "rating";
                /** @description Always true for the email address field */
                required: boolean;
                placeholder: string | null;
                defaultValue: string | null;
                displayOrder: number;
                /** @description Must match the entire text; RE2 syntax. Without maxLength, the text can have at most 1000 characters */
                validationRegex: string | null;
                minLength: number | null;
                maxLength: number | null;
                /** @description The least value of a field of type number or rating */
                min: number | null;
                /** @description The greatest value of a field of type number or rating */
                max: number | null;
                options: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; defaults to the contact field of the same name */
                mapTo: string | null;
                /** @description For the type file: the accepted media types, in lower case; `image/*` means all images. What a file is, is judged by its content */
                accept: string[] | null;
                /** @description For the type file: the maximum size; the service's limit is `FORM_FILE_MAX_BYTES` (default 10 MiB) */
                maxBytes: number | null;
            }[];
            captcha: {
                /** @enum {string} */
                provider: "altcha" | "hcaptcha" | "turnstile";
                siteKey: string | null;
            } | null;
            /** @description Whether fields are left out because their values are known about the contact of `contactToken` */
            knownContact: boolean;
        };
        FormList: {
            data: components["schemas"]["Form"][];
            page: components["schemas"]["Page"];
        };
        FormStats: {
            views: number;
            submissions: number;
            conversionRate: number;
            /** @description How often visitors left the form, by the field that they touched last; the most frequent first */
            abandonment: {
                field: string;
                count: number;
            }[];
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
            /** @description What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours */
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
                /** @description Views of forms */
                views: number;
                /** @description Submissions that were accepted */
                submissions: number;
                /** @description `submissions` of `views`, at most 1: programs may submit forms that nobody viewed. A fraction: 0.25 = 25% */
                conversionRate: number;
                /** @description Contacts that submitted a form. Each counts once, so figures of parts of a period need not add up */
                contacts: number;
            };
            byForm: {
                /** @example 1 */
                formId: number;
                /** @description Null if it was deleted */
                name: string | null;
                /** @description Views of forms */
                views: number;
                /** @description Submissions that were accepted */
                submissions: number;
                /** @description `submissions` of `views`, at most 1: programs may submit forms that nobody viewed. A fraction: 0.25 = 25% */
                conversionRate: number;
                /** @description Contacts that submitted a form. Each counts once, so figures of parts of a period need not add up */
                contacts: number;
            }[];
            page: {
                /** @example 50 */
                limit: number;
                /** @description The cursor of the next page; null on the last page */
                nextCursor: string | null;
                hasMore: boolean;
            };
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Views of forms */
                views: number;
                /** @description Submissions that were accepted */
                submissions: number;
                /** @description `submissions` of `views`, at most 1: programs may submit forms that nobody viewed. A fraction: 0.25 = 25% */
                conversionRate: number;
            }[];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            asOf: string;
        };
        /** @description `GOAL {if: <filter>}`: as soon as the filter holds, the contact jumps here from wherever it is in the campaign, once; a conversion. Whoever comes here without having met the goal goes on to the next step */
        GoalStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "GOAL";
            config: {
                if: components["schemas"]["Filter"];
            };
        };
        Health: {
            /** @enum {string} */
            status: "UP" | "DEGRADED" | "DOWN";
            components: {
                [key: string]: {
                    /** @enum {string} */
                    status: "UP" | "DEGRADED" | "DOWN";
                    detail?: string;
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
                /** @description For optimistic concurrency; the ETag of reads */
                version: number;
            } | null;
            /** @description Email addresses and numbers that the contact had before, with `leftAt` */
            formerAddresses: {
                [key: string]: unknown;
            }[];
            /** @description As in GET /contacts/{id}/activities */
            activities: {
                [key: string]: unknown;
            }[];
            /** @description With opens, clicks and unsubscribes in `events`, and bounces and complaints in `bounces` */
            emails: {
                [key: string]: unknown;
            }[];
            /** @description Form submissions with the submitted data; their files, which can be downloaded, are in `files` */
            submissions: {
                [key: string]: unknown;
            }[];
            /** @description Segments and lists */
            memberships: {
                [key: string]: unknown;
            }[];
            /** @description Segments and lists that the contact has left, with `addedAt` and `leftAt` */
            pastMemberships: {
                [key: string]: unknown;
            }[];
            /** @description Campaign executions with their steps */
            executions: {
                [key: string]: unknown;
            }[];
            score: {
                total: number;
                /** @description As in GET /scoring/contacts/{id}: the `score` of each adds up to `total` */
                rules: {
                    [key: string]: unknown;
                }[];
                /** @description Thresholds that fired */
                thresholds: {
                    [key: string]: unknown;
                }[];
                /** @description Every score change */
                history: {
                    [key: string]: unknown;
                }[];
            };
            /** @description Suppressions of the addresses */
            suppressions: {
                [key: string]: unknown;
            }[];
            /** @description Topics that the addresses or the numbers have opted out of, on each channel */
            topicOptOuts: {
                [key: string]: unknown;
            }[];
            /** @description Double opt-in requests: when requested and when confirmed, with the IP address and user agent of the confirmation */
            optIns: {
                [key: string]: unknown;
            }[];
            /** @description What webhooks have told of the contact in the last 30 days, with the deliveries to each of them */
            webhooks: {
                [key: string]: unknown;
            }[];
            /** @description Text messages and pushes, with the devices of a push in `devices` and clicks in `clicks` */
            messages: {
                [key: string]: unknown;
            }[];
            /** @description Received text messages */
            inboundTexts: {
                [key: string]: unknown;
            }[];
            /** @description Browsers and apps that receive pushes, without their keys */
            pushSubscriptions: {
                [key: string]: unknown;
            }[];
            /** @description What was decided about marketing text messages to the numbers, with the evidence */
            textConsents: {
                [key: string]: unknown;
            }[];
            /** @description Suppressions of the numbers and of pushes */
            channelSuppressions: {
                [key: string]: unknown;
            }[];
            /** @description Quiet hours and the preferred channel */
            channelPreferences: {
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
            /** @description The encoding in which the file is read, as WHATWG names it */
            encoding: string;
            delimiter: string;
            /** @description The columns that are imported: header → field. Can be given as `mapping` for a file like this */
            mapping: {
                [key: string]: string;
            };
            dryRun: boolean;
            /** @enum {string} */
            onBadCell: "reject" | "skip";
            /** @description What may not be meant, though the file is imported */
            warnings: components["schemas"]["ImportWarning"][];
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        ImportContactsRequest: {
            /**
             * Format: binary
             * @description The CSV file
             * @example email,firstName,lastName
             *     ada@example.com,Ada,Byron
             */
            file: Blob;
            /** @description JSON object of CSV header → field name; null ignores the column. Besides the fields of a contact: `optedOut` and `bounced` (yes, or when) and `subscribed` (yes or no), which set the status */
            mapping?: string;
            /**
             * @default upsert
             * @enum {string}
             */
            mode?: "upsert" | "create" | "update";
            listId?: string;
            /** @description Such as `windows-1250` or `shift_jis`; otherwise judged by the text. The answer tells which was taken */
            encoding?: string;
            /** @description One character, or `tab`; otherwise detected */
            delimiter?: string;
            /**
             * @description What happens to a row with a wrong cell: `skip` imports it without the cell and warns, unless the cell is the email or about consent
             * @default reject
             * @enum {string}
             */
            onBadCell?: "reject" | "skip";
            /**
             * @description Whether the new contacts trigger campaigns
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
        /** @description Progress of the undo */
        ImportUndo: {
            removed: number;
            restored: number;
            kept: number;
        };
        ImportWarning: {
            /** @description `encoding_judged`, `no_header`, `column_not_used`, `column_second` (counts only where a better column for the address or telephone is empty), `consent_not_imported` (a column that may say who does not want mail), `date_order`, `status_of_another_row` (of a repeated address) or, with `onBadCell: skip`, `cell_skipped` */
            code: string;
            /** @description The column's header; null for the file as a whole */
            column: string | null;
            message: string;
            /** @description In how many rows */
            count?: number;
            /** @description The numbers of the first of these rows */
            rows?: number[];
        };
        InboundText: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            providerId: number;
            providerMessageId: string;
            from: string;
            to: string | null;
            text: string;
            /**
             * @description `yes`: it opted the number out. `maybe`: a longer text with such a word; nothing was done
             * @enum {string}
             */
            optOut: "yes" | "no" | "maybe";
            /** @description The contacts that had the number when it was received */
            contactIds: number[];
            tenantId: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            receivedAt: string;
        };
        InboundTextList: {
            data: components["schemas"]["InboundText"][];
            page: components["schemas"]["Page"];
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
             * @description The user who sent the invitation
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
            /** @description For optimistic concurrency; the ETag of reads */
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
        LinkPushSubscriptionRequest: {
            /** @example 1 */
            contactId?: number | null;
            readonly id?: unknown;
            readonly type?: unknown;
            readonly status?: unknown;
            readonly siteId?: unknown;
            readonly endpoint?: unknown;
            readonly expiresAt?: unknown;
            readonly replacedBy?: unknown;
            readonly platform?: unknown;
            readonly timezone?: unknown;
            readonly locale?: unknown;
            readonly tenantId?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        ListContactSegmentsItem: {
            /** @example 1 */
            id: number;
            name: string;
            /**
             * @description `dynamic`: the contacts that match `filter`; `static`: a list of added contacts
             * @enum {string}
             */
            type: "dynamic" | "static";
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            addedAt: string | null;
            /** @description With explain=true: whether the contact is a member */
            member?: boolean;
            build?: components["schemas"]["EntryBuild"] | null;
            /**
             * @description With explain=true, for dynamic segments: the evaluated filter as a tree. A group is `{op, holds, conditions}`; a leaf is `{filter, value, holds}`, where `value` is the value of the contact (null = missing; a list for `tags`, `listId` and `segmentId`); for an event leaf it is the number of events
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
            /** @description The address it was sent to, or else would be; null if the contact was deleted before it was sent */
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
             * @description Why the undo left the contact as it is. `changed_since` also if a later import has changed it: when all later ones are undone, so is this one, and the contact is no longer listed
             * @enum {string}
             */
            reason: "changed_since" | "in_campaign" | "emailed" | "messaged" | "submitted_form" | "active" | "suppressed";
        };
        ListImportKeptItemList: {
            data: components["schemas"]["ListImportKeptItem"][];
            page: components["schemas"]["Page"];
        };
        ListReportRunsItem: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            reportId: number;
            /**
             * Format: date-time
             * @description The time of the schedule; null if it was requested
             */
            scheduledAt: string | null;
            /** @enum {string} */
            format: "json" | "csv" | "pdf" | "xlsx";
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
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
            /** @description In percent */
            progress: number;
            error: string | null;
            /** @description The file, for requests with a token; null without a file */
            downloadUrl: string | null;
            /** @description In bytes */
            size: number | null;
            /**
             * Format: date-time
             * @description The figures are complete up to then
             */
            asOf: string | null;
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
            /**
             * Format: date-time
             * @description When the file is removed; earlier if newer reports of the account need its room
             */
            expiresAt: string | null;
            workflowId: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
        };
        ListReportRunsItemList: {
            data: components["schemas"]["ListReportRunsItem"][];
            page: components["schemas"]["Page"];
        };
        ListTemplateVariablesAnswer: {
            data: components["schemas"]["TemplateVariable"][];
        };
        LoginRequest: {
            /**
             * @description The username or the email address
             * @example ada
             */
            username: string;
            /** @example Correct-Horse-7 */
            password: string;
            /**
             * @description The current code of the authenticator app
             * @example 123456
             */
            totp?: string;
        };
        MergeContactsRequest: {
            /** @example 3 */
            sourceId: number;
        };
        Message: {
            /** @example 1 */
            id: number;
            /** @enum {string} */
            channel: "sms" | "push";
            /** @enum {string} */
            category: "marketing" | "transactional";
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "UNDELIVERED" | "SUPPRESSED" | "UNKNOWN";
            reason: string | null;
            /** @example 1 */
            contactId: number | null;
            /** @description The number of a text message */
            to: string | null;
            /** @example 1 */
            templateId: number | null;
            contentVersion: number | null;
            /** @example 1 */
            campaignId: number | null;
            /** @example 1 */
            executionId: number | null;
            stepId: string | null;
            priority: number;
            /** @example 1 */
            providerId: number | null;
            providerMessageId: string | null;
            segments: number | null;
            /** @enum {string|null} */
            encoding: "GSM-7" | "UCS-2" | null;
            /** @description Of a push: what became of it on each device */
            devices: {
                /** @example 1 */
                subscriptionId: number | null;
                /** @enum {string} */
                type: "webpush" | "fcm";
                /** @enum {string} */
                status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "UNDELIVERED" | "SUPPRESSED" | "UNKNOWN";
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
            }[];
            clicks: number;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            firstClickedAt: string | null;
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
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            deliveredAt: string | null;
        };
        MessageExplanation: {
            /** @example 1 */
            messageId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "UNDELIVERED" | "SUPPRESSED" | "UNKNOWN";
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
                /** @example 1 */
                sendId: number;
                /** @example 1 */
                providerId: number | null;
                /**
                 * Format: date-time
                 * @example 2030-01-31T09:30:00.000Z
                 */
                at: string;
                outcome: string;
                reply: string | null;
            }[];
        };
        MessageFigures: {
            queued: number;
            /** @description Accepted, including those that are delivered or undelivered */
            sent: number;
            delivered: number;
            undelivered: number;
            failed: number;
            suppressed: number;
            unknown: number;
            clicks: number;
            uniqueClicks: number;
            clickRate: number;
        };
        MessageList: {
            data: components["schemas"]["Message"][];
            page: components["schemas"]["Page"];
        };
        /** @description `MESSAGE {templates: {email?, sms?, push?}, order}` sends one of at least two templates: that of the first channel of `order` whose gates let it pass, whatever hours they have to wait for. `preferred`: the channel that the contact prefers, then the others as email, sms, push. Result `sent:sms`, or `suppressed` with the reason of each channel */
        MessageStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "MESSAGE";
            config: {
                templates: {
                    email?: number;
                    sms?: number;
                    push?: number;
                };
                order: "preferred" | ("email" | "sms" | "push")[];
            };
        };
        MigrateCampaignRequest: {
            /** @example 1 */
            from: number;
            /** @example 2 */
            to: number;
            /**
             * @description Only answer what it would do
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description Step ids of `to` by step ids of `from`, for executions at steps that are gone or have another type. Other steps are the same by their id
             * @example {
             *       "wait-1": "pause"
             *     }
             */
            map?: {
                [key: string]: string;
            };
        };
        Migration: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            /**
             * @description CANCELLED: the campaign was stopped
             * @enum {string}
             */
            status: "RUNNING" | "COMPLETED" | "CANCELLED";
            /** @example 1 */
            from: number;
            /** @example 1 */
            to: number;
            /** @description Running executions of `from` when it began */
            total: number;
            /** @description Those among them that could be moved */
            movable: number;
            moved: number;
            /** @description The executions that stay in `from`, the first 1000 */
            blocked: {
                /** @example 1 */
                executionId: number;
                /** @example wait-1 */
                stepId: string;
                /**
                 * @description `step_gone`: `to` has no such step; `type_changed`: it has one of another type
                 * @enum {string}
                 */
                reason: "step_gone" | "type_changed";
            }[];
            /** @description Where the executions that were or would be moved continue */
            byStep: {
                /** @example wait-1 */
                from: string;
                /** @example wait-1 */
                to: string;
                count: number;
            }[];
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
        MigrationPlan: {
            /** @example 1 */
            from: number;
            /** @example 1 */
            to: number;
            /** @description Running executions of `from` when it began */
            total: number;
            /** @description Those among them that could be moved */
            movable: number;
            moved: number;
            /** @description The executions that stay in `from`, the first 1000 */
            blocked: {
                /** @example 1 */
                executionId: number;
                /** @example wait-1 */
                stepId: string;
                /**
                 * @description `step_gone`: `to` has no such step; `type_changed`: it has one of another type
                 * @enum {string}
                 */
                reason: "step_gone" | "type_changed";
            }[];
            /** @description Where the executions that were or would be moved continue */
            byStep: {
                /** @example wait-1 */
                from: string;
                /** @example wait-1 */
                to: string;
                count: number;
            }[];
        };
        NewApiKey: {
            /** @example 1 */
            id: number;
            /** @example Website */
            name: string;
            permissions: string[];
            /**
             * @description The user on whose behalf the key acts
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
            /**
             * @description Returned only in this response
             * @example pk_example
             */
            key: string;
        };
        /** @description `NOTIFY {to, subject, body}` emails an active user of the account; `subject` and `body` are plain text with the Liquid of templates, such as `{{firstName}}`. If the user is gone when the step runs, its result is `failed`, and the journey goes on */
        NotifyStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "NOTIFY";
            config: {
                to: string;
                subject: string;
                body: string;
            };
        };
        Page: {
            /** @example 50 */
            limit: number;
            /** @description The cursor of the next page; null on the last page */
            nextCursor: string | null;
            hasMore: boolean;
            /** @description Only with includeTotal=true */
            total?: number;
        };
        Permission: {
            /** @example 1 */
            id: number;
            /** @enum {string} */
            name: "contacts:read" | "contacts:write" | "emails:read" | "emails:write" | "campaigns:read" | "campaigns:write" | "forms:read" | "forms:write" | "scoring:read" | "scoring:write" | "analytics:read" | "analytics:write" | "emails:send" | "users:read" | "users:write" | "roles:read" | "roles:write" | "api-keys:read" | "api-keys:write" | "settings:read" | "settings:write" | "audit-log:read" | "erasure:read" | "erasure:write" | "channels:read" | "channels:write" | "channels:send" | "webhooks:read" | "webhooks:write";
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
        /** @enum {string} */
        PermissionName: "contacts:read" | "contacts:write" | "emails:read" | "emails:write" | "campaigns:read" | "campaigns:write" | "forms:read" | "forms:write" | "scoring:read" | "scoring:write" | "analytics:read" | "analytics:write" | "emails:send" | "users:read" | "users:write" | "roles:read" | "roles:write" | "api-keys:read" | "api-keys:write" | "settings:read" | "settings:write" | "audit-log:read" | "erasure:read" | "erasure:write" | "channels:read" | "channels:write" | "channels:send" | "webhooks:read" | "webhooks:write";
        PreviewChannelTemplateRequest: {
            /** @example 1 */
            contactId?: number;
        };
        PreviewSegmentAnswer: {
            count: number;
            /** @description Up to ten matching contacts */
            sample: components["schemas"]["Contact"][];
        };
        PreviewSegmentRequest: {
            filter: components["schemas"]["Filter"];
        };
        PreviewTemplateAnswer: {
            subject: string;
            html: string;
            text: string;
            /** @description What is valid and may not be meant. Up to 100 */
            warnings: components["schemas"]["TemplateWarning"][];
        };
        PreviewTemplateRequest: {
            /** @example 1 */
            contactId?: number;
            /** @description Values for `{{data.x}}` in the template */
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
            /** @description Position in the failover order, from 1 */
            order: number;
            /**
             * @description DOWN: no process uses it until its pause ends (`restsUntil`), except for a trial message. DEGRADED: paused for some processes, failed since the last success, or no sender process is running
             * @enum {string}
             */
            status: "UP" | "DEGRADED" | "DOWN";
            /** @description Maximum connections per sender process */
            connections: number;
            /** @description Limit for all sender processes together */
            ratePerMinute: number | null;
            /** @description Sender processes that reported within the last minute */
            processes: number;
            /** @description Consecutive failures */
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
            /** @description Emails sent by these processes since they started */
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
        PublishedVersion: {
            /** @example 1 */
            campaignId: number;
            version: number;
            trigger: components["schemas"]["Trigger"];
            steps: components["schemas"]["Step"][];
            entry: components["schemas"]["Entry"];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            publishedAt: string;
            /** @description Executions that run this version now */
            running: number;
        };
        PublishedVersionList: {
            data: components["schemas"]["PublishedVersion"][];
            page: components["schemas"]["Page"];
        };
        /** @description The body of a webhook, in its `format` */
        PullWebhookEventsItem: unknown;
        PullWebhookEventsItemList: {
            data: components["schemas"]["PullWebhookEventsItem"][];
            page: components["schemas"]["Page"];
        };
        PushContent: {
            title: string;
            body: string;
            url?: string;
            icon?: string;
            image?: string;
            actions?: {
                action: string;
                title: string;
                url?: string;
            }[];
        };
        PushSite: {
            /** @example 1 */
            id: number;
            /** @example Website */
            name: string;
            /**
             * @description The origins whose pages may subscribe: https, or http://localhost
             * @example [
             *       "https://www.example.com"
             *     ]
             */
            origins: string[];
            /**
             * @description Told to push services, for questions about the pushes: `mailto:` or `https:` (RFC 8292)
             * @example mailto:web@example.com
             */
            subject: string;
            /** @description Shown with pushes whose template has no icon */
            iconUrl: string | null;
            /** @description Opened by a click on a push whose template has no URL */
            defaultUrl: string | null;
            /** @description Names the site in its pages */
            siteKey: string;
            /** @description The `applicationServerKey` of its subscriptions */
            publicKey: string;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        PushSiteList: {
            data: components["schemas"]["PushSite"][];
            page: components["schemas"]["Page"];
        };
        /** @description `PUSH {templateId}` sends the template of pushes to each device of the contact */
        PushStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "PUSH";
            config: {
                templateId: number;
            };
        };
        PushSubscription: {
            /** @example 1 */
            id: number;
            /** @enum {string} */
            type: "webpush" | "fcm";
            /** @enum {string} */
            status: "active" | "gone" | "replaced";
            /** @example 1 */
            contactId: number | null;
            /** @example 1 */
            siteId: number | null;
            /**
             * @description Shortened: whoever knows all of it can receive the pushes. Of an app: its registration token
             * @example https://fcm.googleapis.com/…x3Kq9A
             */
            endpoint: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
            /** @example 1 */
            replacedBy: number | null;
            platform: string | null;
            timezone: string | null;
            locale: string | null;
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
        PushSubscriptionList: {
            data: components["schemas"]["PushSubscription"][];
            page: components["schemas"]["Page"];
        };
        QueuedEmail: {
            /** @example 1 */
            emailId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "SUPPRESSED" | "BOUNCED" | "COMPLAINED" | "UNKNOWN";
        };
        QueuedMessage: {
            /** @example 1 */
            messageId: number;
            /** @enum {string} */
            status: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "UNDELIVERED" | "SUPPRESSED" | "UNKNOWN";
            reason: string | null;
        };
        RebuildSegmentAnswer: {
            /** @description Number of memberships that differed from the filter */
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
                /**
                 * @description http(s); passwords and `contactToken` in it are not kept
                 * @example https://www.example.com/prices
                 */
                url?: string;
                /**
                 * @description The page before it, in the same way
                 * @example https://www.example.com/prices
                 */
                referrer?: string;
                /** @example Prices */
                title?: string;
            };
        };
        RefreshRequest: {
            refreshToken: string;
        };
        RegisterRequest: {
            /**
             * @description Letters, digits and . _ - +, or the email address
             * @example ada
             */
            username: string;
            /** @example ada@example.com */
            email: string;
            /**
             * @description 8 to 200 characters with an upper-case letter, a lower-case letter, a digit and a special character
             * @example Correct-Horse-7
             */
            password: string;
            /** @example Ada */
            firstName: string;
            /** @example Byron */
            lastName: string;
        };
        RemoveSegmentContactsAnswer: {
            /** @description Number of contacts that were members before */
            removed: number;
            count: number;
        };
        /**
         * @example {
         *       "currentPassword": "Correct-Horse-7"
         *     }
         */
        RemoveTotpRequest: {
            /**
             * @description The current code of the authenticator app
             * @example 123456
             */
            totp?: string;
            /** @example Correct-Horse-7 */
            currentPassword?: string;
        };
        ReplayScoringRuleRequest: {
            /**
             * Format: date-time
             * @description Events since this time get the points that the rule gives now
             * @example 2026-01-31T09:30:00.000Z
             */
            from: string;
            /**
             * @description Whether to only tell what would change
             * @default false
             */
            dryRun?: boolean;
        };
        ReplayWebhookRequest: {
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            from: string;
            /** Format: date-time */
            to?: string;
            types?: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED")[];
            /**
             * @default failed
             * @enum {string}
             */
            only?: "failed" | "held" | "all";
        };
        Report: {
            /** @example 1 */
            id: number;
            /** @example Monthly report */
            name: string;
            /**
             * @description The figures of the endpoint with this name
             * @enum {string}
             */
            type: "dashboard" | "campaigns" | "contacts" | "emails" | "forms";
            /** @enum {string} */
            format: "json" | "csv" | "pdf" | "xlsx";
            /**
             * @description Of figures over time. Null = `day`; with a schedule for each day, `hour`
             * @enum {string|null}
             */
            interval: "hour" | "day" | "week" | "month" | null;
            /** @description Makes the report again at the times of `cron`, at most once an hour: its first field must be one minute. Null = once */
            schedule: {
                /**
                 * @description Five cron fields: minute, hour, day of the month, month, day of the week. A local time that the clocks skip does not come on that day; one that occurs twice comes once, the second time
                 * @example 0 9 * * MON
                 */
                cron: string;
                /** @example Europe/Warsaw */
                timezone: string;
                /** @description Addresses of active users with the permission `analytics:read`, who get the file by email. It goes to those who still are when it is made */
                recipients: string[];
                /**
                 * @description Each report is on the last whole day, week (from Monday) or month before its time
                 * @enum {string}
                 */
                period: "day" | "week" | "month";
            } | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            nextRunAt: string | null;
            /**
             * @description Of the most recent run, as are the fields below. SCHEDULED: before the first; STOPPED: the schedule ended before it
             * @enum {string}
             */
            status: "SCHEDULED" | "STOPPED" | "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            from: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            to: string | null;
            timezone: string | null;
            /** @description In percent */
            progress: number;
            error: string | null;
            /** @description The file, for requests with a token; null without a file */
            downloadUrl: string | null;
            /** @description In bytes */
            size: number | null;
            /**
             * Format: date-time
             * @description The figures are complete up to then
             */
            asOf: string | null;
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
            /**
             * Format: date-time
             * @description When the file is removed; earlier if newer reports of the account need its room
             */
            expiresAt: string | null;
            workflowId: string | null;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        ReportList: {
            data: components["schemas"]["Report"][];
            page: components["schemas"]["Page"];
        };
        ReportPushEventRequest: {
            /** @description The `token` of the push */
            token: string;
            /** @enum {string} */
            type: "shown" | "clicked" | "closed";
        };
        ResetPasswordRequest: {
            /**
             * @description From the link in the email
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
             * @description `sent`: it was sent. `failed`: it was not sent, and will not be. `resend`: it was not sent, and will be sent again
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
            /** @description Built-in roles exist in every tenant and cannot be changed */
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        RoleList: {
            data: components["schemas"]["Role"][];
            page: components["schemas"]["Page"];
        };
        RotateWebhookSecretRequest: {
            /**
             * @description How long the one before signs too
             * @default 24
             */
            overlapHours?: number;
        };
        RotatedWebhookKey: {
            /** @description `whsec_` and base64 of 32 bytes: cannot be read again */
            secret?: string;
            /** @description `whpk_` and base64 */
            publicKey?: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            previousExpiresAt: string;
        };
        SavedTemplate: {
            /** @example 1 */
            id: number;
            /** @example Welcome */
            name: string;
            /** @example Hello {{firstName}} */
            subject: string;
            /**
             * @description HTML, or MJML, with Liquid. Variables are the fields of the contact (`{{firstName}}` or `{{contact.firstName}}`, `{{company}}`, `{{company.domain}}`, `{{customFields.x}}`), `{{data.x}}` of the call that sends, and the links `{{unsubscribeUrl}}`, `{{preferencesUrl}}`, `{{webViewUrl}}`, `{{formUrl: 1}}` (the page of the form with this id) and `{{contactToken}}`; `GET /emails/templates/variables` lists all. What has no value prints nothing: `{{firstName | default: "there"}}`
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content: string;
            /** @description The plain-text part, with Liquid; generated from `content` if absent */
            text: string | null;
            /** @description Preview text that inboxes show next to the subject */
            previewText: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category: "marketing" | "transactional";
            /**
             * @description Marketing email about a topic is not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId: number | null;
            fromName: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a verified domain; null = the default sender
             * @example someone@example.com
             */
            fromEmail: string | null;
            /** @example someone@example.com */
            replyTo: string | null;
            /** @description Incremented by every change of the sent content */
            contentVersion: number;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description What is valid and may not be meant. Up to 100 */
            warnings: components["schemas"]["TemplateWarning"][];
        };
        /** @description `SCORE {points, reason?}` adds points to the score of the contact; negative ones take some away */
        ScoreStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SCORE";
            config: {
                points: number;
                reason?: string;
            };
        };
        ScoreThreshold: {
            /** @example 1 */
            id: number;
            /** @example Ready to buy */
            name: string;
            /** @example 50 */
            score: number;
            /**
             * @description `NOTIFY` emails an active user of the account. `WEBHOOK` sends a POST to the URL (https), signed as Standard Webhooks says with the secret of `GET /webhooks/default`: `{type: "SCORE_THRESHOLD_REACHED", timestamp, data: {thresholdId, name, score, contactId, totalScore, tenantId}}`. Every attempt has the same `webhook-id`; without an answer, and after 408, 425, 429 and 5xx, it is repeated for an hour
             * @example {
             *       "type": "ADD_TO_LIST",
             *       "listId": 1
             *     }
             */
            action: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN" | "NOTIFY" | "WEBHOOK";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
                /** @description The address of an active user */
                to?: string;
                url?: string;
            } & (unknown & unknown & unknown & unknown);
            /** @description Whether it has fired for any contact */
            triggered: boolean;
            /** @description The number of contacts for whom it has fired */
            triggeredCount: number;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        ScoringReplay: {
            /** @example 1 */
            id: number | null;
            /** @example 1 */
            ruleId: number;
            dryRun: boolean;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            until: string;
            /**
             * @description CANCELLED: the rule was changed, deleted or made inactive
             * @enum {string}
             */
            status: "RUNNING" | "COMPLETED" | "CANCELLED";
            /** @description The contacts or companies looked at so far */
            examined: number;
            /** @description The totals that change */
            changed: number;
            /** @description The sums of the totals that change, before and after */
            totals: {
                before: number;
                after: number;
            };
            /** @description The first 1000 totals that change */
            changes: {
                /** @example 1 */
                contactId?: number;
                /** @example 1 */
                companyId?: number;
                before: number;
                after: number;
            }[];
            thresholds: {
                /** @example 1 */
                thresholdId: number;
                name: string;
                score: number;
                /** @description Contacts who reach it, and for whom it fires (has fired, if this is no dry run) */
                fires: number;
                /** @description Contacts who reach it again; it does not fire again */
                firedBefore: number;
            }[];
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
        ScoringRule: {
            /** @example 1 */
            id: number;
            /** @example Email opened */
            name: string;
            /**
             * @description The event that scores; cannot be changed
             * @example EMAIL_OPENED
             * @enum {string}
             */
            eventType: "CONTACT_CREATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "WEBSITE_VISITED";
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
            /** @description The most points that the rule gives one contact in all, or takes away if `points` is negative, however old they are. For `target: company` it limits what the rule gives one company, whichever contacts the events are of. When two contacts are merged, the points of both stay, also beyond it */
            maxPerContact: number | null;
            /** @description How points lose worth; null if they keep it. Points keep the half-life they were awarded with */
            decay: {
                /**
                 * @description The days after which points of an event are worth half
                 * @example 30
                 */
                halfLifeDays: number;
            } | null;
            /**
             * @description Who gets the points: the contact of the event, or the company that it belongs to then. Cannot be changed
             * @enum {string}
             */
            target: "contact" | "company";
            active: boolean;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        Segment: {
            /** @example 1 */
            id: number;
            name: string;
            description: string | null;
            /**
             * @description `dynamic`: the contacts that match `filter`; `static`: a list of added contacts
             * @enum {string}
             */
            type: "dynamic" | "static";
            filter: components["schemas"]["Filter"] | null;
            /** @enum {string} */
            status: "BUILDING" | "READY";
            /** @description Number of contacts in it */
            count: number;
            /** @description For static lists: a form that adds contacts to the list asks them to confirm their address first */
            doubleOptIn: boolean;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        SegmentHistory: {
            /** @description What the series covers: the period that was asked for, extended to whole 5-minute windows. It begins when it is first known who was in the segment, if that is later; a segment has no members before it was created */
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
            /** @description For each interval of the period, also those without events */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted
                 * @example 2030-01-31T00:00:00.000Z
                 */
                at: string;
                /** @description Members at the beginning of the interval, or of the period if that is later */
                count: number;
                /** @description Contacts that became members; one that came twice counts twice */
                entered: number;
                /** @description Contacts that ceased to be members, also by being deleted */
                left: number;
            }[];
        };
        SegmentList: {
            data: components["schemas"]["Segment"][];
            page: components["schemas"]["Page"];
        };
        /** @description `SEGMENT {action: add|remove, listId}` adds the contact to a list or removes it */
        SegmentStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SEGMENT";
            config: {
                /** @enum {unknown} */
                action: "add" | "remove";
                listId: number;
            };
        };
        /**
         * @example {
         *       "templateId": 1,
         *       "recipientId": 1,
         *       "data": {
         *         "code": "123456"
         *       }
         *     }
         */
        SendEmailRequest: {
            /** @example 1 */
            templateId: number;
            /** @description The id of a contact; give either this or `to` */
            recipientId?: number;
            /** @example someone@example.com */
            to?: string;
            /** @description Values for `{{data.x}}` in the template */
            data?: {
                [key: string]: unknown;
            };
            /** @description The campaign whose statistics the email counts for */
            campaignId?: number;
        };
        /**
         * @example {
         *       "recipientId": 1,
         *       "title": "Hello {{firstName}}",
         *       "body": "Your order is on its way"
         *     }
         */
        SendPushRequest: {
            /** @description The id of a contact */
            recipientId?: number;
            /** @example 1 */
            templateId?: number;
            /** @description Values for `{{data.x}}` in the template */
            data?: {
                [key: string]: unknown;
            };
            /**
             * @description Default that of the template, or marketing. A transactional message passes consent, topics, caps, priority and hours. Beside a template of marketing it has no effect
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /** @description The only provider that may send it */
            providerId?: number;
            /** @description The campaign whose statistics the message counts for */
            campaignId?: number;
            /** @description Default 5. Of messages that a cap leaves no room for, those with the lowest are not sent */
            priority?: number;
            /** @description The id of a device */
            subscriptionId?: number;
            /** @description Liquid */
            title?: string;
            /** @description Liquid */
            body?: string;
            /** @description Liquid */
            url?: string;
            /** @description Liquid */
            iconUrl?: string;
            /** @description Liquid */
            imageUrl?: string;
            actions?: {
                action: string;
                /** @description Liquid */
                title: string;
                /** @description Liquid */
                url?: string;
            }[];
            /** @description Default that of the template, or 86400 */
            ttlSeconds?: number;
            /**
             * @description Default that of the template, or normal
             * @enum {string}
             */
            urgency?: "very-low" | "low" | "normal" | "high";
            /** @description Default that of the template */
            collapseKey?: string;
        };
        /**
         * @example {
         *       "recipientId": 1,
         *       "body": "Hello {{firstName}}, we open at 9."
         *     }
         */
        SendTextRequest: {
            /** @description The id of a contact */
            recipientId?: number;
            /** @example 1 */
            templateId?: number;
            /** @description Values for `{{data.x}}` in the template */
            data?: {
                [key: string]: unknown;
            };
            /**
             * @description Default that of the template, or marketing. A transactional message passes consent, topics, caps, priority and hours. Beside a template of marketing it has no effect
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /** @description The only provider that may send it */
            providerId?: number;
            /** @description The campaign whose statistics the message counts for */
            campaignId?: number;
            /** @description Default 5. Of messages that a cap leaves no room for, those with the lowest are not sent */
            priority?: number;
            /**
             * @description A number, E.164
             * @example +442079460958
             */
            to?: string;
            /**
             * @description Liquid
             * @example Your code is 123456
             */
            body?: string;
        };
        Sender: {
            /** @example 1 */
            id: number;
            /**
             * @description The From address
             * @example news@example.com
             */
            email: string;
            /**
             * @description Default display name of the From address, for templates without one
             * @example Example News
             */
            name: string | null;
            /**
             * @description Default Reply-To address, for templates without one
             * @example help@example.com
             */
            replyTo: string | null;
            dkim: components["schemas"]["SenderDkim"] | null;
            /** @description Whether email may be sent from the address: it is confirmed, or a sender of the tenant has verified its domain */
            verified: boolean;
            /**
             * Format: date-time
             * @description When the confirmation link was used. For senders that existed before confirmation links, in a service with a single tenant: when the service was upgraded
             */
            confirmedAt: string | null;
            /**
             * @description The domain verified by the DKIM record: email may be sent from any address of it and of its subdomains
             * @example example.com
             */
            verifiedDomain: string | null;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
             * @description The signing domain (d=): the domain of the address or a parent domain
             * @example example.com
             */
            domain: string;
            /** @example news2030 */
            selector: string;
            publicKey: string;
            /**
             * @description Name of the TXT record to publish
             * @example news2030._domainkey.example.com
             */
            dnsName: string;
            /**
             * @description Value of the TXT record; in a zone file, split it into strings of up to 255 characters
             * @example v=DKIM1; k=rsa; p=MIIB
             */
            dnsValue: string;
            /**
             * Format: date-time
             * @description When the record was last found in the DNS; null if the last check did not find it
             */
            verifiedAt: string | null;
        };
        /** @description Signs the sender's email with DKIM (RFC 6376). `{}` generates a key; another selector or private key replaces it; null removes it */
        SenderDkimRequest: {
            /**
             * @description The signing domain (d=): the domain of the address or a parent domain
             * @example example.com
             */
            domain?: string;
            /** @example news2030 */
            selector?: string;
            /** @description RSA private key in PEM; generated if absent. Never returned */
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
        SimulateCampaignRequest: {
            /**
             * @description For more contacts, use a list
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @example 1 */
            segmentId?: number;
            /** @example 1 */
            listId?: number;
            /**
             * Format: date-time
             * @description When the contacts enter; default now. They are as they are now, whatever this time is
             * @example 2030-01-31T09:30:00.000Z
             */
            at?: string;
            /** @description A published version, or `draft` (default): the latest edit */
            version?: number | "draft";
            /** @description Without it, no email is opened */
            assume?: {
                /** @description The fraction of emails that are opened, at once; default 0 */
                openRate?: number;
                /** @description The fraction of emails that are clicked, at once; a click is an open too; default 0 */
                clickRate?: number;
                /** @description The same seed gives the same opens and clicks; default 1 */
                seed?: number;
            };
            /** @description Of how many contacts, in the order of their ids, the steps are shown; default 100 */
            paths?: number;
        };
        Simulation: {
            /** @description entered + refused */
            contacts: number;
            /** @description completed + stopped + running */
            entered: number;
            /** @description Why contacts would not enter: `contact_archived`, `contact_erased`, `contact_deleted`, `already_entered`, `still_running`, `min_interval` */
            refused: {
                reason: string;
                count: number;
            }[];
            ended: {
                completed: number;
                /** @description Stopped, or failed */
                stopped: number;
                /** @description Not ended after 400 days or 1,000 steps */
                running: number;
            };
            /** @description How often each step would be executed on a day (UTC) */
            volumes: {
                /**
                 * Format: date
                 * @example 2030-01-31
                 */
                date: string;
                stepId: string;
                type: string;
                count: number;
            }[];
            /** @description Emails that would be suppressed, by the gate, as in `GET /emails/{id}/explain` */
            suppressed: {
                reason: string;
                count: number;
            }[];
            /** @description Fewer contacts than asked for if they have more than 20,000 steps together */
            paths: {
                /** @example 1 */
                contactId: number;
                steps: {
                    stepId: string;
                    type: string;
                    /**
                     * Format: date-time
                     * @example 2030-01-31T09:30:00.000Z
                     */
                    at: string;
                    /** @description As in `steps` of an execution */
                    result: string;
                    reason: string | null;
                }[];
                end: {
                    /** @enum {string} */
                    status: "COMPLETED" | "STOPPED" | "FAILED" | "RUNNING";
                    /** @description The exit reason; if RUNNING, at which step the simulation ended */
                    reason: string | null;
                    /**
                     * Format: date-time
                     * @example 2030-01-31T09:30:00.000Z
                     */
                    at: string | null;
                };
            }[];
        };
        SimulationJob: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            campaignId: number;
            /** @enum {string} */
            status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
            /** @description How many there were at the request */
            contacts: number;
            processed: number;
            result: components["schemas"]["Simulation"] | null;
            error: string | null;
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
            startedAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            finishedAt: string | null;
        };
        /** @description `SMS {templateId}` sends the template of text messages to the contact */
        SmsStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SMS";
            config: {
                templateId: number;
            };
        };
        /** @description `SPLIT {branches: [{weight, next?}]}` divides the contacts by weight (1 to 1000); a contact takes the same branch at every visit; an omitted target is the following step, null the end */
        SplitStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SPLIT";
            config: {
                branches: {
                    weight: number;
                    /** @description A step id; null = the end */
                    next?: string | null;
                }[];
            };
        };
        StartCampaignAnswer: {
            campaign: components["schemas"]["Campaign"];
            /** @example 1 */
            enrolmentId: number | null;
        };
        /** @description At most one of the three; if all are absent, no contact is enrolled */
        StartCampaignRequest: {
            /**
             * @description For more contacts, use a list
             * @example [
             *       1,
             *       2
             *     ]
             */
            contactIds?: number[];
            /** @example 1 */
            segmentId?: number;
            /** @example 1 */
            listId?: number;
        };
        StartTotpAnswer: {
            /**
             * @description In Base32, for manual entry into an authenticator app
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description The otpauth URL of the secret, to be shown as a QR code
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
        Step: components["schemas"]["EmailStep"] | components["schemas"]["SmsStep"] | components["schemas"]["PushStep"] | components["schemas"]["MessageStep"] | components["schemas"]["WaitStep"] | components["schemas"]["WaitForEventStep"] | components["schemas"]["ConditionStep"] | components["schemas"]["SplitStep"] | components["schemas"]["SegmentStep"] | components["schemas"]["UpdateContactStep"] | components["schemas"]["ScoreStep"] | components["schemas"]["GoalStep"] | components["schemas"]["WebhookStep"] | components["schemas"]["NotifyStep"] | components["schemas"]["ExitStep"];
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
            /** @description Stands for the contact in later submissions, for 30 days. Only if the submission made the contact, or came with a token of it */
            contactToken?: string;
        };
        /**
         * @description Values by the names of the fields of the form; unknown names are ignored
         * @example {
         *       "email": "someone@example.com",
         *       "_token": "from GET /forms/{id}/token"
         *     }
         */
        SubmitFormRequest: {
            /** @description From `GET /forms/{id}/token`, for 12 hours. Needed by what a browser sends: any request with an `Origin`, form-encoded and multipart bodies. Without it, JSON from a browser is a 400 `token_invalid`, and a form post gets the hosted page with a new token; nothing is stored then */
            _token?: unknown;
            /** @description Says who fills the form, so that their values are changed and not only completed: from `{{contactToken}}` or `{{formUrl}}` in an email, or from the answer to an earlier submission. `contactToken` is understood too, unless the form has a field of that name. An invalid one is ignored */
            _contactToken?: unknown;
            /** @description The honeypot, an input that people do not see. If it is filled, the answer is a success and nothing is stored, so leave it empty or away */
            _website?: unknown;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "topic": "1"
         *     }
         */
        SubmitPreferencesRequest: {
            /** @description The id of a wanted topic, repeated for each; unknown ids are ignored */
            topic?: unknown;
            /** @description The same for text messages */
            topicSms?: unknown;
            /** @description The same for pushes */
            topicPush?: unknown;
            /** @description A channel whose topics were shown, repeated for each; the choices for others stay. Default email */
            channel?: unknown;
            /** @description HH:MM; with `quietTo` empty: no quiet hours */
            quietFrom?: unknown;
            /** @description HH:MM */
            quietTo?: unknown;
            /** @description An IANA time zone */
            quietTimezone?: unknown;
            /** @description If present, unsubscribes from all marketing email, as `List-Unsubscribe=One-Click` does; with `anywhere` also from texts and pushes */
            unsubscribe?: unknown;
        };
        Suppression: {
            /** @example 1 */
            id: number;
            /** @description The address in normalised form; null if it was erased */
            email: string | null;
            /**
             * @example manual
             * @enum {string}
             */
            reason: "unsubscribed" | "bounced" | "complained" | "manual";
            /** @description Where the suppression came from: `api`, `import` or `email` */
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
        TellVisitRequest: {
            /**
             * @description Whose visits are told: the `tenantId` of the account
             * @example default
             */
            site: string;
            /** @description From `{{contactToken}}` in an email, or of a form */
            contactToken: string;
            /**
             * @description http(s); passwords and `contactToken` in it are not kept
             * @example https://www.example.com/prices
             */
            url: string;
            /**
             * @description The page before it, in the same way
             * @example https://www.example.com/prices
             */
            referrer?: string | null;
            /** @example Prices */
            title?: string | null;
        };
        Template: {
            /** @example 1 */
            id: number;
            /** @example Welcome */
            name: string;
            /** @example Hello {{firstName}} */
            subject: string;
            /**
             * @description HTML, or MJML, with Liquid. Variables are the fields of the contact (`{{firstName}}` or `{{contact.firstName}}`, `{{company}}`, `{{company.domain}}`, `{{customFields.x}}`), `{{data.x}}` of the call that sends, and the links `{{unsubscribeUrl}}`, `{{preferencesUrl}}`, `{{webViewUrl}}`, `{{formUrl: 1}}` (the page of the form with this id) and `{{contactToken}}`; `GET /emails/templates/variables` lists all. What has no value prints nothing: `{{firstName | default: "there"}}`
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content: string;
            /** @description The plain-text part, with Liquid; generated from `content` if absent */
            text: string | null;
            /** @description Preview text that inboxes show next to the subject */
            previewText: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category: "marketing" | "transactional";
            /**
             * @description Marketing email about a topic is not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId: number | null;
            fromName: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a verified domain; null = the default sender
             * @example someone@example.com
             */
            fromEmail: string | null;
            /** @example someone@example.com */
            replyTo: string | null;
            /** @description Incremented by every change of the sent content */
            contentVersion: number;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
        TemplateVariable: {
            /**
             * @description What stands between the braces
             * @example firstName
             */
            name: string;
            description: string;
        };
        TemplateWarning: {
            /**
             * @description JSON Pointer to the part of the template
             * @example /content
             */
            path: string;
            line: number;
            column: number;
            /** @enum {string} */
            code: "unknown_variable" | "empty_subject" | "no_text";
            /** @example {{frstName}} is not a known variable and prints nothing; did you mean {{firstName}}? */
            message: string;
        };
        TestChannelProviderRequest: {
            /**
             * @description A number (E.164); for a provider of pushes, the registration token of a device
             * @example +442079460958
             */
            to: string;
        };
        TestTemplateRequest: {
            /** @example someone@example.com */
            to: string;
            /** @description Values for `{{data.x}}` in the template */
            data?: {
                [key: string]: unknown;
            };
        };
        TestWebhookRequest: {
            /**
             * @example CONTACT_CREATED
             * @enum {string}
             */
            type: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED";
        };
        Topic: {
            /** @example 1 */
            id: number;
            /**
             * @description Shown to recipients on the preference page
             * @example Product news
             */
            name: string;
            /** @description Shown below the name on the preference page */
            description: string | null;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
                /** @description An open without a picture: a person followed a link, and so opened the email. Counts like another open */
                inferred?: boolean;
            }[];
        };
        /**
         * @description What makes contacts enter: `MANUAL` · `CONTACT_CREATED` · `FORM_SUBMITTED {formId}` · `EMAIL_OPENED {templateId?, campaignId?}` · `EMAIL_CLICKED {templateId?, campaignId?, url?}` · `MESSAGE_SENT {templateId?, campaignId?, channel?}` · `MESSAGE_DELIVERED {templateId?, campaignId?, channel?}` · `MESSAGE_CLICKED {templateId?, campaignId?, channel?, url?}` · `MESSAGE_RECEIVED {channel?, optOut?}` · `CHANNEL_SUBSCRIBED {channel?}` · `CHANNEL_UNSUBSCRIBED {channel?}` · `GOAL_MET {campaignId?}` · `SEGMENT_ENTERED {segmentId}` · `SCORE_REACHED {score}` · `SCHEDULE {cron, timezone, segmentId}` · `DATE {field, offsetDays, time, annual?}`. With MANUAL, contacts enter only by `start`
         * @example {
         *       "type": "FORM_SUBMITTED",
         *       "formId": 1
         *     }
         */
        Trigger: {
            /** @constant */
            type: "MANUAL";
        } | {
            /** @constant */
            type: "CONTACT_CREATED";
        } | {
            /** @constant */
            type: "FORM_SUBMITTED";
            formId: number;
        } | {
            /** @constant */
            type: "EMAIL_OPENED";
            templateId?: number;
            campaignId?: number;
        } | {
            /** @constant */
            type: "EMAIL_CLICKED";
            templateId?: number;
            campaignId?: number;
            /** @description As clicks are told: without the parameter `contactToken` */
            url?: string;
        } | {
            /** @constant */
            type: "MESSAGE_SENT";
            templateId?: number;
            campaignId?: number;
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
        } | {
            /** @constant */
            type: "MESSAGE_DELIVERED";
            templateId?: number;
            campaignId?: number;
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
        } | {
            /** @constant */
            type: "MESSAGE_CLICKED";
            templateId?: number;
            campaignId?: number;
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
            /** @description As clicks are told: without the parameter `contactToken` */
            url?: string;
        } | {
            /** @constant */
            type: "MESSAGE_RECEIVED";
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
            /** @enum {unknown} */
            optOut?: "yes" | "no" | "maybe";
        } | {
            /** @constant */
            type: "CHANNEL_SUBSCRIBED";
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
        } | {
            /** @constant */
            type: "CHANNEL_UNSUBSCRIBED";
            /**
             * @description Emails have events of their own
             * @enum {unknown}
             */
            channel?: "sms" | "push";
        } | {
            /** @constant */
            type: "GOAL_MET";
            campaignId?: number;
        } | {
            /** @constant */
            type: "SEGMENT_ENTERED";
            segmentId: number;
        } | {
            /** @constant */
            type: "SCORE_REACHED";
            score: number;
        } | {
            /** @constant */
            type: "SCHEDULE";
            /**
             * @description Five cron fields: minute, hour, day of the month, month, day of the week. A local time that the clocks skip does not come on that day; one that occurs twice comes once, the second time
             * @example 0 9 * * MON
             */
            cron: string;
            /** @description An IANA timezone */
            timezone: string;
            segmentId: number;
        } | {
            /** @constant */
            type: "DATE";
            /** @description `createdAt`, `updatedAt`, or `customFields.x` of type date */
            field: string;
            offsetDays: number;
            /**
             * @description HH:MM in the contact's timezone, UTC if it has none
             * @example 09:00
             */
            time: string;
            /** @description Every year from the date on, 29 February as 28 in other years; default false */
            annual?: boolean;
        };
        UpdateCampaignRequest: {
            /** @example Welcome */
            name?: string;
            description?: string | null;
            trigger?: components["schemas"]["Trigger"] | null;
            steps?: components["schemas"]["Step"][] | null;
            entry?: components["schemas"]["Entry"] | null;
            /** @description For the prebuilt types, instead of `steps`: their 3, 5 or 2 templates in order */
            templateIds?: number[];
            readonly id?: unknown;
            readonly status?: unknown;
            readonly pauseReason?: unknown;
            readonly warnings?: unknown;
            readonly publishedVersion?: unknown;
            readonly closing?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly type?: unknown;
        };
        /**
         * @example {
         *       "contactId": 1,
         *       "quietHours": {
         *         "from": "22:00",
         *         "to": "08:00",
         *         "timezone": "Europe/Berlin"
         *       }
         *     }
         */
        UpdateChannelPreferencesRequest: {
            /** @example 1 */
            contactId: number;
            channels?: {
                email?: {
                    wanted?: boolean;
                    readonly reason?: unknown;
                };
                sms?: {
                    /** @enum {string} */
                    consent?: "subscribed" | "unsubscribed" | "none";
                    readonly at?: unknown;
                    readonly source?: unknown;
                    evidence?: {
                        /**
                         * @description Where it was decided
                         * @example checkout
                         */
                        source: string;
                        /** @description What was said or agreed to */
                        text?: string | null;
                        ip?: string | null;
                        /**
                         * Format: date-time
                         * @example 2030-01-31T09:30:00.000Z
                         */
                        at?: string;
                    } | null;
                };
                push?: {
                    readonly devices?: unknown;
                };
            };
            topics?: {
                /** @example 1 */
                topicId: number;
                readonly name?: unknown;
                email?: boolean;
                sms?: boolean;
                push?: boolean;
            }[];
            /** @description No marketing from `from` to `to`, which may be on the next day */
            quietHours?: {
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                to: string;
                /** @example Europe/Berlin */
                timezone: string;
            } | null;
            /** @enum {string|null} */
            preferredChannel?: "email" | "sms" | "push" | null;
        };
        UpdateChannelProviderRequest: {
            /** @example Main */
            name?: string;
            /** @enum {string} */
            channel?: "sms" | "push";
            /** @enum {string} */
            type?: "twilio" | "http" | "fcm";
            /**
             * @description `twilio`: `accountSid`, either `from` or `messagingServiceSid`, `baseUrl`. `http`: `url`, `from`, `headers` (shown; secrets belong in the credentials), `contentType` (`json` or `form`), `body` (Liquid texts over `to`, `from`, `text`, `messageId`), `idPath`, `idempotencyHeader`. `fcm`: `projectId`, `baseUrl`, `tokenUrl`
             * @example {
             *       "accountSid": "AC00000000000000000000000000000000",
             *       "from": "+15005550006"
             *     }
             */
            config?: {
                [key: string]: unknown;
            };
            /** @description The lowest is used first; default 1 */
            priority?: number;
            /** @description For all sender processes together */
            ratePerSecond?: number | null;
            active?: boolean;
            /**
             * @description `twilio`: `authToken`. `http`: `headers`, `callbackSecret` (`whsec_…`). `fcm`: the JSON of a service account. Never shown
             * @example {
             *       "authToken": "secret"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            };
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly health?: unknown;
        };
        UpdateChannelSettingsRequest: {
            /**
             * @description The most marketing messages of these channels together that a contact gets within `perDays` days
             * @example [
             *       {
             *         "channels": [
             *           "email",
             *           "sms",
             *           "push"
             *         ],
             *         "max": 3,
             *         "perDays": 7
             *       }
             *     ]
             */
            caps?: {
                channels: ("email" | "sms" | "push")[];
                max: number;
                perDays: number;
            }[];
            /**
             * @description IANA timezone of the tenant: used where nobody knows that of a contact
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * @description `required`: marketing texts go only to numbers that have subscribed. `implied`: to all that have not opted out
             * @enum {string}
             */
            smsConsent?: "required" | "implied";
            /** @description Further words that opt a number out if a received text consists of one of them */
            stopWords?: string[];
            /** @description The answer to `help` */
            helpText?: string | null;
            /** @description The answer to an opt-out by text */
            stopText?: string | null;
            /** @description Ends the first marketing text to a number, and one each 30 days */
            optOutText?: string | null;
            /** @description How long a message waits for open hours; then it is SUPPRESSED */
            maxHoldHours?: number;
            /** @description Marketing messages of a channel are sent only within its window */
            sendWindows?: {
                email?: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
                sms?: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
                push?: {
                    /** @description Default: every day */
                    days?: (number | string)[];
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    from: string;
                    /**
                     * @description HH:MM, up to 24:00; exclusive
                     * @example 17:00
                     */
                    to: string;
                    /**
                     * @description An IANA timezone, or `contact` for the contact's own
                     * @example Europe/Berlin
                     */
                    timezone: string;
                } | null;
            };
            readonly version?: unknown;
        };
        UpdateChannelTemplateRequest: {
            /** @example Order shipped */
            name?: string;
            /**
             * @description Liquid. Its http and https URLs become short links
             * @example Hi {{firstName}}, your order is on its way: https://example.com/orders
             */
            body?: string;
            /** @enum {string} */
            channel?: "sms" | "push";
            /**
             * @description Transactional messages pass consent, topics, caps and hours
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing messages about a topic are not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId?: number | null;
            /** @description Liquid. Required for pushes */
            title?: string | null;
            /**
             * @description Where a click leads. Liquid
             * @example https://example.com/
             */
            url?: string | null;
            /**
             * @description Liquid; else the icon of the site
             * @example https://example.com/
             */
            iconUrl?: string | null;
            /**
             * @description Liquid
             * @example https://example.com/
             */
            imageUrl?: string | null;
            /** @description How long push services keep it; default 86400 */
            ttlSeconds?: number | null;
            /**
             * @description Default normal (RFC 8030)
             * @enum {string|null}
             */
            urgency?: "very-low" | "low" | "normal" | "high" | null;
            /** @description A push that waits at the push service is replaced by the next one with the same key */
            collapseKey?: string | null;
            /** @description Text messages: curly quotes, dashes, ellipses and the like become characters of GSM-7 */
            smartEncoding?: boolean;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly contentVersion?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
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
            /** @example 1 */
            companyId?: number | null;
            /**
             * @description Only `unsubscribed` and `archived` can be set
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
            /** @example Engineer */
            jobTitle?: string | null;
            /** @example Europe/Berlin */
            timezone?: string | null;
            /** @example de-AT */
            locale?: string | null;
            /** @example fair */
            source?: string | null;
            /** @description The name of a company, matched case-insensitively; created if it does not exist. Not together with `companyId`. An object, as returned by reads, is accepted if unchanged */
            company?: string | {
                [key: string]: unknown;
            } | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly phoneE164?: unknown;
            readonly erasing?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        /** @description `UPDATE_CONTACT {set: {<field>: <value>, customFields?: {…}}}` sets fields of the contact: null clears one, `tags` replaces all, `customFields` are merged by key. Texts may have the Liquid of templates, such as `{{company.industry}}` or `{{'now' | date: '%Y-%m-%d'}}`; if a field cannot have what is printed, nothing is set, the result is `failed`, and the journey goes on. A simulation leaves such fields as they are */
        UpdateContactStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "UPDATE_CONTACT";
            config: {
                set: {
                    firstName?: string | null;
                    lastName?: string | null;
                    phone?: string | null;
                    company?: string | null;
                    tags?: string[] | null;
                    customFields?: {
                        [key: string]: unknown;
                    };
                    jobTitle?: string | null;
                    timezone?: string | null;
                    locale?: string | null;
                };
            };
        };
        UpdateCustomFieldRequest: {
            /**
             * @description The values of an enum; not allowed for other types
             * @example [
             *       "small",
             *       "large"
             *     ]
             */
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
            /** @description Alternatively, give `variants` */
            templateId?: number | null;
            /** @description The segment or list of recipients */
            segmentId?: number | null;
            /** @description Alias of `segmentId` */
            listId?: number | null;
            /**
             * @description `recipient_local_time` sends at the local time of each recipient: the time of day of `scheduledAt` in `timezone`
             * @enum {string|null}
             */
            scheduleType?: "immediate" | "scheduled" | "recurring" | "recipient_local_time" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            scheduledAt?: string | null;
            /**
             * @description Five cron fields, for recurring campaigns
             * @example 0 9 * * 1
             */
            cron?: string | null;
            /**
             * @description IANA timezone of `cron` and of the local time; default UTC
             * @example Europe/Berlin
             */
            timezone?: string | null;
            ratePerMinute?: number | null;
            /** @description Which emails and messages get the slots of a frequency cap: those with the higher priority; default 5 */
            priority?: number;
            /**
             * @description The variants to compare, instead of `templateId`
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
                 * @description Fraction of delivered emails whose recipient opened or clicked; `opens` is an alias of `openRate`, `clicks` of `clickRate`
                 * @enum {string}
                 */
                metric: "opens" | "clicks" | "openRate" | "clickRate";
                /** @description Counted from when delivery of the test has ended */
                afterMinutes: number;
                /** @description Percentage of the audience that gets the test; the others get the winning variant */
                testPercent: number;
            } | null;
            readonly id?: unknown;
            readonly status?: unknown;
            readonly error?: unknown;
            readonly pauseReason?: unknown;
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
                /** @description Default: every day */
                days?: (number | string)[];
                /**
                 * @description HH:MM
                 * @example 09:00
                 */
                from: string;
                /**
                 * @description HH:MM, up to 24:00; exclusive
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
            /**
             * @example [
             *       {
             *         "name": "email",
             *         "label": "Your email",
             *         "type": "email",
             *         "required": true
             *       },
             *       {
             *         "name": "firstName",
             *         "label": "First name",
             *         "type": "text"
             *       }
             *     ]
             */
            fields?: {
                /** @example email */
                name: string;
                /** @example Your email */
                label: string;
                /** @enum {string} */
                type: "text" | "email" | "select" | "checkbox" | "textarea" | "radio" | "multiselect" | "number" | "phone" | "url" | "date" | "time" | "datetime" | "country" | "hidden" | "file" | "consent" | "rating";
                id?: number;
                /** @description Always true for the email address field */
                required?: boolean;
                placeholder?: string | null;
                defaultValue?: string | null;
                displayOrder?: number;
                /** @description Must match the entire text; RE2 syntax. Without maxLength, the text can have at most 1000 characters */
                validationRegex?: string | null;
                minLength?: number | null;
                maxLength?: number | null;
                /** @description The least value of a field of type number or rating */
                min?: number | null;
                /** @description The greatest value of a field of type number or rating */
                max?: number | null;
                options?: {
                    value: string;
                    label: string;
                }[] | null;
                /** @description The contact field that it fills, or `customFields.x`; defaults to the contact field of the same name */
                mapTo?: string | null;
                /** @description For the type file: the accepted media types, in lower case; `image/*` means all images. What a file is, is judged by its content */
                accept?: string[] | null;
                /** @description For the type file: the maximum size; the service's limit is `FORM_FILE_MAX_BYTES` (default 10 MiB) */
                maxBytes?: number | null;
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
            /** @description A new contact is `pending` until it confirms its address with the link in an email */
            doubleOptIn?: boolean;
            /** @description What is known about the contact of a `contactToken` is not asked again; of `progressiveFields`, only the first that is not known is asked */
            enableProgressiveProfiling?: boolean;
            /** @description A submission must prove that it is made by a person */
            enableCaptcha?: boolean;
            /** @description Each gets an email with the values of each submission; answers to it go to the submitter */
            notifyEmails?: string[] | null;
            /** @description Names of fields, in the order of asking */
            progressiveFields?: string[] | null;
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
        UpdatePushSiteRequest: {
            /** @example Website */
            name?: string;
            /**
             * @description The origins whose pages may subscribe: https, or http://localhost
             * @example [
             *       "https://www.example.com"
             *     ]
             */
            origins?: string[];
            /**
             * @description Told to push services, for questions about the pushes: `mailto:` or `https:` (RFC 8292)
             * @example mailto:web@example.com
             */
            subject?: string;
            /** @description Shown with pushes whose template has no icon */
            iconUrl?: string | null;
            /** @description Opened by a click on a push whose template has no URL */
            defaultUrl?: string | null;
            readonly id?: unknown;
            readonly siteKey?: unknown;
            readonly publicKey?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateReportRequest: {
            /** @example Monthly report */
            name?: string;
            /** @enum {string} */
            format?: "json" | "csv" | "pdf" | "xlsx";
            /**
             * @description Of figures over time. Null = `day`; with a schedule for each day, `hour`
             * @enum {string|null}
             */
            interval?: "hour" | "day" | "week" | "month" | null;
            /** @description Makes the report again at the times of `cron`, at most once an hour: its first field must be one minute. Null = once */
            schedule?: {
                /**
                 * @description Five cron fields: minute, hour, day of the month, month, day of the week. A local time that the clocks skip does not come on that day; one that occurs twice comes once, the second time
                 * @example 0 9 * * MON
                 */
                cron: string;
                /** @example Europe/Warsaw */
                timezone: string;
                /** @description Addresses of active users with the permission `analytics:read`, who get the file by email. It goes to those who still are when it is made */
                recipients: string[];
                /**
                 * @description Each report is on the last whole day, week (from Monday) or month before its time
                 * @enum {string}
                 */
                period: "day" | "week" | "month";
            } | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly status?: unknown;
            readonly nextRunAt?: unknown;
            readonly progress?: unknown;
            readonly error?: unknown;
            readonly downloadUrl?: unknown;
            readonly size?: unknown;
            readonly asOf?: unknown;
            readonly startedAt?: unknown;
            readonly finishedAt?: unknown;
            readonly expiresAt?: unknown;
            readonly workflowId?: unknown;
            readonly type?: unknown;
            readonly from?: unknown;
            readonly to?: unknown;
            readonly timezone?: unknown;
        };
        /**
         * @example {
         *       "permissions": [
         *         "contacts:read"
         *       ]
         *     }
         */
        UpdateRoleRequest: {
            /** @example Editor */
            name?: string;
            description?: string | null;
            /**
             * @description Names of permissions; only permissions that the caller has
             * @example [
             *       "contacts:read",
             *       "contacts:write"
             *     ]
             */
            permissions?: components["schemas"]["PermissionName"][];
            readonly id?: unknown;
            readonly builtIn?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateScoreThresholdRequest: {
            /** @example Ready to buy */
            name?: string;
            /** @example 50 */
            score?: number;
            /**
             * @description `NOTIFY` emails an active user of the account. `WEBHOOK` sends a POST to the URL (https), signed as Standard Webhooks says with the secret of `GET /webhooks/default`: `{type: "SCORE_THRESHOLD_REACHED", timestamp, data: {thresholdId, name, score, contactId, totalScore, tenantId}}`. Every attempt has the same `webhook-id`; without an answer, and after 408, 425, 429 and 5xx, it is repeated for an hour
             * @example {
             *       "type": "ADD_TO_LIST",
             *       "listId": 1
             *     }
             */
            action?: {
                /** @enum {string} */
                type: "NONE" | "ADD_TO_LIST" | "START_CAMPAIGN" | "NOTIFY" | "WEBHOOK";
                /** @example 1 */
                listId?: number;
                /** @example 1 */
                campaignId?: number;
                /** @description The address of an active user */
                to?: string;
                url?: string;
            } & (unknown & unknown & unknown & unknown);
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
            /** @description The most points that the rule gives one contact in all, or takes away if `points` is negative, however old they are. For `target: company` it limits what the rule gives one company, whichever contacts the events are of. When two contacts are merged, the points of both stay, also beyond it */
            maxPerContact?: number | null;
            /** @description How points lose worth; null if they keep it. Points keep the half-life they were awarded with */
            decay?: {
                /**
                 * @description The days after which points of an event are worth half
                 * @example 30
                 */
                halfLifeDays: number;
            } | null;
            active?: boolean;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly eventType?: unknown;
            readonly target?: unknown;
        };
        /**
         * @example {
         *       "warm": 30,
         *       "hot": 70
         *     }
         */
        UpdateScoringSettingsRequest: {
            warm?: number;
            hot?: number;
            readonly version?: unknown;
        };
        UpdateSegmentRequest: {
            /** @example Active customers */
            name?: string;
            description?: string | null;
            /** @description For static lists: a form that adds contacts to the list asks them to confirm their address first */
            doubleOptIn?: boolean;
            filter?: components["schemas"]["Filter"] | null;
            readonly id?: unknown;
            readonly type?: unknown;
            readonly status?: unknown;
            readonly count?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        /**
         * @example {
         *       "name": "News"
         *     }
         */
        UpdateSenderRequest: {
            /**
             * @description The From address
             * @example news@example.com
             */
            email?: string;
            /**
             * @description Default display name of the From address, for templates without one
             * @example Example News
             */
            name?: string | null;
            /**
             * @description Default Reply-To address, for templates without one
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
             * @description HTML, or MJML, with Liquid. Variables are the fields of the contact (`{{firstName}}` or `{{contact.firstName}}`, `{{company}}`, `{{company.domain}}`, `{{customFields.x}}`), `{{data.x}}` of the call that sends, and the links `{{unsubscribeUrl}}`, `{{preferencesUrl}}`, `{{webViewUrl}}`, `{{formUrl: 1}}` (the page of the form with this id) and `{{contactToken}}`; `GET /emails/templates/variables` lists all. What has no value prints nothing: `{{firstName | default: "there"}}`
             * @example <p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>
             */
            content?: string;
            /** @description The plain-text part, with Liquid; generated from `content` if absent */
            text?: string | null;
            /** @description Preview text that inboxes show next to the subject */
            previewText?: string | null;
            /**
             * @description Transactional mail passes unsubscribes
             * @enum {string}
             */
            category?: "marketing" | "transactional";
            /**
             * @description Marketing email about a topic is not sent to contacts who opted out of the topic
             * @example 1
             */
            topicId?: number | null;
            fromName?: string | null;
            /**
             * @description A verified sender of the tenant, or any address of a verified domain; null = the default sender
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
            readonly warnings?: unknown;
        };
        /**
         * @example {
         *       "description": "What is new, once a month"
         *     }
         */
        UpdateTopicRequest: {
            /**
             * @description Shown to recipients on the preference page
             * @example Product news
             */
            name?: string;
            /** @description Shown below the name on the preference page */
            description?: string | null;
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
        };
        UpdateUserRequest: {
            /** @description false ends all sessions of the user immediately */
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
        UpdateWebhookRequest: {
            /** @example CRM */
            name?: string;
            /**
             * @description https, without a user name. It must not lead to a private address; that is checked here for an address, and for a name at each attempt
             * @example https://www.example.com/hook
             */
            url?: string;
            /**
             * @description The events that it wants (`GET /webhooks/event-types`), or `["*"]` for all
             * @example [
             *       "CONTACT_CREATED",
             *       "CONTACT_UPDATED"
             *     ]
             */
            types?: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED" | "*")[];
            /** @description Conditions on the event, like the `where` of a segment's event leaf; all must hold. A field must be one of at least one of the types: `templateId`, `campaignId` and so on, or one of the event's data. Events without the field have a missing value, which fails every operator but `ne`, `notIn` and `notExists` */
            filter?: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[] | null;
            /**
             * @description `standard`: `{type, timestamp, sequence, data}`. `cloudevents`: the CloudEvent in structured JSON, with the extension `sequence`. `data` is the same as on NATS
             * @enum {string}
             */
            format?: "standard" | "cloudevents";
            /**
             * @description `v1`: HMAC-SHA256 with `secret`. `v1a`: Ed25519, verified with `publicKey`. Another one makes another key; to see the secret of v1, rotate it then
             * @enum {string}
             */
            signature?: "v1" | "v1a";
            /**
             * @description `contact`: what concerns one contact (or else one resource) is sent one by one; the next one waits until the one before is DELIVERED or FAILED
             * @enum {string}
             */
            ordering?: "none" | "contact";
            /** @description `contact`: the contact as it is at the attempt, in `data.contact`; left out if the body would exceed 256 KiB */
            include?: "contact"[];
            /** @description The most requests that are open at once. One, after an answer that took over 5 s or a failure */
            maxInFlight?: number;
            /** @description How long an answer may take */
            timeoutMs?: number;
            /** @description While false, what matches is held; it is sent when this becomes true */
            active?: boolean;
            /** @description Further headers of each request; their values are never shown. Not `host`, `content-*`, `webhook-*` and those of the connection */
            headers?: {
                [key: string]: string | boolean;
            };
            readonly id?: unknown;
            readonly tenantId?: unknown;
            readonly version?: unknown;
            readonly createdAt?: unknown;
            readonly updatedAt?: unknown;
            readonly disabledReason?: unknown;
            readonly disabledAt?: unknown;
            readonly publicKey?: unknown;
            readonly lastSuccessAt?: unknown;
            readonly secret?: unknown;
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
            /** @description For optimistic concurrency; the ETag of reads */
            version: number;
        };
        UserList: {
            data: components["schemas"]["User"][];
            page: components["schemas"]["Page"];
        };
        VerifyEmailRequest: {
            /**
             * @description From the link in the email
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
        VisitEmbed: {
            /**
             * @description Whose visits are told: the `tenantId` of the account
             * @example default
             */
            site: string;
            code: string;
        };
        /** @description `WAIT_FOR_EVENT {event, where?, timeoutMinutes, onTimeout?}` goes to `next` as soon as the event happens that all leaves of `where` fit, and to `onTimeout` if it does not within `timeoutMinutes` (0 to 5,256,000); an omitted `onTimeout` is the following step, null the end. Events count from the moment when the step was reached */
        WaitForEventStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "WAIT_FOR_EVENT";
            config: {
                /** @enum {unknown} */
                event: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "WEBSITE_VISITED";
                /** @description All of them must hold for an event to count */
                where?: components["schemas"]["EventFieldLeaf"][];
                timeoutMinutes: number;
                /** @description A step id; null = the end */
                onTimeout?: string | null;
            };
        };
        /** @description `WAIT {waitMinutes}` (0 to 5,256,000), `{until}` (a date-time; if past, no wait) or `{untilLocalTime: {weekday?, time}}` (HH:MM in the contact's timezone, UTC if it has none; `weekday` is `monday` to `sunday`) */
        WaitStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "WAIT";
            config: {
                waitMinutes?: number;
                until?: string;
                untilLocalTime?: {
                    /** @description `monday` to `sunday`, or 1 (Monday) to 7 (ISO 8601) */
                    weekday?: number | string;
                    /**
                     * @description HH:MM
                     * @example 09:00
                     */
                    time: string;
                };
            };
        };
        Warning: {
            /**
             * @description JSON Pointer into the campaign
             * @example /steps/2
             */
            path: string;
            /**
             * @description `unreachable_step`: no path from the first step leads to it; `starts_itself`: what the campaign does can fire its trigger, and contacts may enter again; `enters_once`: the trigger recurs (SCHEDULE, DATE with `annual`), but `reentry` is never; `before_confirmation`: it begins with a form whose people have to confirm their address first, and get no marketing mail before that
             * @enum {string}
             */
            code: "unreachable_step" | "starts_itself" | "enters_once" | "before_confirmation";
            message: string;
        };
        Webhook: {
            /** @example 1 */
            id: number;
            /** @example CRM */
            name: string;
            /**
             * @description https, without a user name. It must not lead to a private address; that is checked here for an address, and for a name at each attempt
             * @example https://www.example.com/hook
             */
            url: string;
            /**
             * @description The events that it wants (`GET /webhooks/event-types`), or `["*"]` for all
             * @example [
             *       "CONTACT_CREATED",
             *       "CONTACT_UPDATED"
             *     ]
             */
            types: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED" | "*")[];
            /** @description Conditions on the event, like the `where` of a segment's event leaf; all must hold. A field must be one of at least one of the types: `templateId`, `campaignId` and so on, or one of the event's data. Events without the field have a missing value, which fails every operator but `ne`, `notIn` and `notExists` */
            filter: {
                field: string;
                /** @enum {string} */
                operator: "eq" | "ne" | "in" | "notIn" | "gt" | "gte" | "lt" | "lte" | "between" | "contains" | "startsWith" | "endsWith" | "exists" | "notExists" | "before" | "after" | "withinLastDays";
                value?: unknown;
            }[] | null;
            /**
             * @description `standard`: `{type, timestamp, sequence, data}`. `cloudevents`: the CloudEvent in structured JSON, with the extension `sequence`. `data` is the same as on NATS
             * @enum {string}
             */
            format: "standard" | "cloudevents";
            /**
             * @description `v1`: HMAC-SHA256 with `secret`. `v1a`: Ed25519, verified with `publicKey`. Another one makes another key; to see the secret of v1, rotate it then
             * @enum {string}
             */
            signature: "v1" | "v1a";
            /**
             * @description `contact`: what concerns one contact (or else one resource) is sent one by one; the next one waits until the one before is DELIVERED or FAILED
             * @enum {string}
             */
            ordering: "none" | "contact";
            /** @description `contact`: the contact as it is at the attempt, in `data.contact`; left out if the body would exceed 256 KiB */
            include: "contact"[];
            /** @description The most requests that are open at once. One, after an answer that took over 5 s or a failure */
            maxInFlight: number;
            /** @description How long an answer may take */
            timeoutMs: number;
            /** @description While false, what matches is held; it is sent when this becomes true */
            active: boolean;
            headers: {
                [key: string]: true;
            };
            /**
             * @description `manual`: by a PUT. `gone`: it answered 410. `failing`: it accepted nothing for five days, in 20 attempts or more
             * @enum {string|null}
             */
            disabledReason: "manual" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            lastSuccessAt: string | null;
            /** @description `whpk_` and base64, of v1a */
            publicKey: string | null;
            tenantId: string;
            /** @description For optimistic concurrency; the ETag of reads */
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
            /** @description true: there is one (v1) */
            secret: boolean | null;
        };
        WebhookAttempt: {
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            at: string;
            /**
             * @description Of HTTP; null without an answer
             * @example 200
             */
            status: number | null;
            /** @example 87 */
            durationMs: number;
            /** @example answered 503 */
            error: string | null;
            /** @description The first 1024 bytes of the answer */
            response: string | null;
        };
        WebhookDelivery: {
            /** @example 1 */
            id: number;
            /** @description Its number among those of the webhook, without gaps */
            sequence: number;
            /**
             * Format: uuid
             * @description The `webhook-id` of each attempt
             */
            eventId: string;
            /**
             * @example CONTACT_CREATED
             * @enum {string}
             */
            type: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED";
            /**
             * @description HELD: the webhook is not active. FAILED: it was tried ten times, or has another `reason`
             * @enum {string}
             */
            status: "PENDING" | "SENDING" | "DELIVERED" | "FAILED" | "HELD";
            /** @description `attempts_exhausted`, `too_old` or `erased`, of FAILED */
            reason: string | null;
            /** @example 1 */
            contactId: number | null;
            /** @description What is sent, without an included contact; null if it was about a person who was erased */
            body: unknown;
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2030-01-31T09:30:00.000Z
             */
            createdAt: string;
        };
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            page: components["schemas"]["Page"];
        };
        WebhookEventType: {
            /**
             * @example CONTACT_CREATED
             * @enum {string}
             */
            type: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED";
            description: string;
            /**
             * @description JSON Schema of its `data`
             * @example {
             *       "type": "object"
             *     }
             */
            schema: unknown;
            /** @description An example of its `data` */
            example: {
                [key: string]: unknown;
            };
        };
        WebhookEventTypeList: {
            data: components["schemas"]["WebhookEventType"][];
            page: components["schemas"]["Page"];
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            page: components["schemas"]["Page"];
        };
        WebhookProof: {
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
            /** @description lastSequence − firstSequence + 1: always the sum of the four others */
            matched: number;
            delivered: number;
            /** @description With those that are on their way */
            pending: number;
            failed: number;
            held: number;
            firstSequence: number | null;
            lastSequence: number | null;
        };
        WebhookReceipt: {
            /** @description Number of reports about emails of this service */
            reports: number;
        };
        WebhookReplay: {
            /** @example 1 */
            id: number;
            /** @example 1 */
            webhookId: number;
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
            types: ("CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED")[] | null;
            /** @enum {string} */
            only: "failed" | "held" | "all";
            /** @enum {string} */
            status: "RUNNING" | "COMPLETED";
            /** @description The deliveries of the period that it has looked at */
            examined: number;
            /** @description Those of them that are sent again */
            replayed: number;
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
        /** @description `WEBHOOK {url, onError?}` sends a POST with the contact to the URL (https), signed as Standard Webhooks says with the secret of `GET /webhooks/default`; every attempt has the same `webhook-id`. Without an answer, and after 408, 425, 429 and 5xx, it is repeated for an hour; any answer but 2xx is then result `failed`, and the journey goes on (`onError: continue`, the default) or ends as FAILED (`fail`) */
        WebhookStep: {
            /** @description Unique in the campaign; generated if absent */
            id?: string;
            /** @description A step id; null = the end */
            next?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "WEBHOOK";
            config: {
                url: string;
                /** @enum {unknown} */
                onError?: "fail" | "continue";
            };
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
    getSegmentsHealth: {
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
    getChannelsHealth: {
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
    getWebhooksHealth: {
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
            /** @description Accepted; an email is sent if the address belongs to a user */
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
            /** @description Accepted; an email is sent if the address belongs to a user */
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
            /** @description TOTP is on: logins require a code from now on */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "username" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-username" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                action?: "user.registered" | "user.logged_in" | "user.login_failed" | "user.login_locked" | "user.logged_out" | "user.token_reused" | "user.password_changed" | "user.password_reset" | "user.email_changed" | "user.email_verified" | "user.totp_enabled" | "user.totp_disabled" | "user.updated" | "role.created" | "role.updated" | "role.deleted" | "invitation.created" | "invitation.revoked" | "invitation.accepted" | "api_key.created" | "api_key.deleted" | "scoring_settings.updated" | "scoring_rule.created" | "scoring_rule.updated" | "scoring_rule.deleted" | "scoring_rule.replayed" | "scoring_threshold.created" | "scoring_threshold.updated" | "scoring_threshold.deleted" | "campaign.started" | "campaign.stopped" | "campaign.paused" | "campaign.resumed" | "campaign.migrated" | "campaign.archived" | "campaign.unarchived" | "campaign.deleted" | "email_campaign.started" | "email_campaign.paused" | "email_campaign.resumed" | "email_campaign.cancelled" | "email_campaign.deleted" | "email_settings.updated" | "channel_settings.updated" | "channel_preferences.updated" | "email_template.deleted" | "channel_template.created" | "channel_template.updated" | "channel_template.deleted" | "channel_provider.created" | "channel_provider.updated" | "channel_provider.deleted" | "channel_provider.tested" | "message.resolved" | "push_site.created" | "push_site.updated" | "push_site.deleted" | "push_subscription.created" | "push_subscription.linked" | "push_subscription.deleted" | "channel_suppression.created" | "channel_suppression.deleted" | "email_topic.deleted" | "suppression.created" | "suppression.deleted" | "segment.created" | "segment.updated" | "segment.deleted" | "segment.members_added" | "segment.members_removed" | "form.deleted" | "form.submissions_exported" | "form.file_downloaded" | "custom_field.deleted" | "company.deleted" | "contact.deleted" | "contact.merged" | "contact.exported" | "contact.erasure_requested" | "contact.data_exported" | "email_sender.created" | "email_sender.updated" | "email_sender.confirmed" | "email_sender.domain_verified" | "email_sender.domain_lost" | "email_sender.deleted" | "contact_import.started" | "contact_import.cancelled" | "contact_import.undo_requested" | "report.created" | "report.updated" | "report.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.replayed" | "webhook.delivery_retried";
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "expiresAt" | "-id" | "-createdAt" | "-expiresAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                companyId?: number;
                segmentId?: number;
                listId?: number;
                tag?: string;
                /** @description The full address, case-insensitive */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "relevance" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName" | "-relevance";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "occurredAt" | "-id" | "-occurredAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                /** @description The full name, case-insensitive */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                /** @description Who was a member at this moment: not before the segment was created, and not in the future */
                at?: string;
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Whether a csv begins with a byte order mark, without which Excel misreads letters beyond ASCII; no effect on other formats */
                bom?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                companyId?: number;
                segmentId?: number;
                listId?: number;
                tag?: string;
                /** @description The full address, case-insensitive */
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
            /** @description The contacts in the requested format */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
            /** @description row, column, code, message, then the original cells */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                /** @description `dynamic`: the contacts that match `filter`; `static`: a list of added contacts */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
            /** @description The segment was BUILDING: the build was restarted */
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
    listSegmentContacts: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                /** @description Who was a member at this moment: not before the segment was created, and not in the future */
                at?: string;
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
    getSegmentHistory: {
        parameters: {
            query?: {
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
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
                    "application/json": components["schemas"]["SegmentHistory"];
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
            /** @description The segment was BUILDING: the build was restarted */
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
    listListContacts: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                /** @description Who was a member at this moment: not before the segment was created, and not in the future */
                at?: string;
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
    getListHistory: {
        parameters: {
            query?: {
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
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
                    "application/json": components["schemas"]["SegmentHistory"];
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
    listSegmentsAndLists: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                /** @description `dynamic`: the contacts that match `filter`; `static`: a list of added contacts */
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
    createSegmentOrList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSegmentOrListRequest"];
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
    getSegmentOrList: {
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
    updateSegmentOrList: {
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
    deleteSegmentOrList: {
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
    rebuildSegmentOrList: {
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
            /** @description The segment was BUILDING: the build was restarted */
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
    listSegmentOrListContacts: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "email" | "lastName" | "-id" | "-createdAt" | "-updatedAt" | "-email" | "-lastName";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained" | "archived";
                /** @description Who was a member at this moment: not before the segment was created, and not in the future */
                at?: string;
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
    getSegmentOrListHistory: {
        parameters: {
            query?: {
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
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
                    "application/json": components["schemas"]["SegmentHistory"];
                };
            };
        };
    };
    listContactSegments: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                /** @description Lists every dynamic segment, whether or not it contains the contact, and explains why */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description An email campaign or an automation campaign; if absent, all emails to the contact */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
            /** @description The address was already suppressed */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
                    "application/json": components["schemas"]["SavedTemplate"];
                };
            };
        };
    };
    listTemplateVariables: {
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
                    "application/json": components["schemas"]["ListTemplateVariablesAnswer"];
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
                    "application/json": components["schemas"]["SavedTemplate"];
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
                    "application/json": components["schemas"]["SavedTemplate"];
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
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
    archiveCampaign: {
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
    unarchiveCampaign: {
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
    listCampaignVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "version" | "-version";
                /** @description Whether to return the total count in `page.total` */
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
                    "application/json": components["schemas"]["PublishedVersionList"];
                };
            };
        };
    };
    getCampaignVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                version: number;
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
                    "application/json": components["schemas"]["PublishedVersion"];
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
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
    migrateCampaign: {
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
                "application/json": components["schemas"]["MigrateCampaignRequest"];
            };
        };
        responses: {
            /** @description What it would do (`dryRun`) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MigrationPlan"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Migration"];
                };
            };
        };
    };
    getCampaignMigration: {
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
                    "application/json": components["schemas"]["Migration"];
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
    simulateCampaign: {
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
                "application/json": components["schemas"]["SimulateCampaignRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulationJob"];
                };
            };
        };
    };
    getCampaignSimulation: {
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
                    "application/json": components["schemas"]["SimulationJob"];
                };
            };
        };
    };
    listForms: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "submittedAt" | "-id" | "-submittedAt";
                /** @description Whether to return the total count in `page.total` */
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
            query?: {
                contactToken?: string;
                /** @description The page that asks shows the form already: this is no other view of it */
                again?: boolean;
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
                    "application/json": components["schemas"]["FormFields"];
                };
            };
        };
    };
    getFormCaptcha: {
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
                    "application/json": components["schemas"]["FormCaptcha"];
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
            /** @description Accepted; browsers get an HTML page */
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
    abandonForm: {
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
                "application/json": components["schemas"]["AbandonFormRequest"];
                "text/plain": components["schemas"]["AbandonFormRequest"];
            };
        };
        responses: {
            /** @description Counted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    exportFormSubmissions: {
        parameters: {
            query?: {
                format?: "csv" | "ndjson" | "xlsx";
                /** @description Whether a csv begins with a byte order mark, without which Excel misreads letters beyond ASCII; no effect on other formats */
                bom?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submissions in the requested format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Blob;
                };
            };
        };
    };
    downloadFormFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                submissionId: number;
                fileId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file; any other type, too */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Blob;
                    "text/plain": string;
                };
            };
        };
    };
    listScoringRules: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
    replayScoringRule: {
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
                "application/json": components["schemas"]["ReplayScoringRuleRequest"];
            };
        };
        responses: {
            /** @description What it would do (`dryRun`) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringReplay"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoringReplay"];
                };
            };
        };
    };
    getScoringReplay: {
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
                    "application/json": components["schemas"]["ScoringReplay"];
                };
            };
        };
    };
    getContactScore: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
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
                    "application/json": components["schemas"]["ContactScore"];
                };
            };
        };
    };
    getContactScoreAlias: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
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
                    "application/json": components["schemas"]["ContactScore"];
                };
            };
        };
    };
    getCompanyScore: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
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
    getVisitEmbed: {
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
                    "application/json": components["schemas"]["VisitEmbed"];
                };
            };
        };
    };
    tellVisit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TellVisitRequest"];
                "text/plain": components["schemas"]["TellVisitRequest"];
            };
        };
        responses: {
            /** @description Recorded, or ignored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listScoreThresholds: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "score" | "createdAt" | "-id" | "-name" | "-score" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
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
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
                /** @description Which breakdown to return, `byTemplate` or `byLink` */
                by?: "template" | "link";
                /** @description Maximum number of rows of the breakdown */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The figure to sort the breakdown by; prefix `-` for descending order. Default: `-sent` or `-clicks` */
                sort?: "sent" | "failed" | "opens" | "clicks" | "automatedOpens" | "automatedClicks" | "bounces" | "unsubscribes" | "id" | "-sent" | "-failed" | "-opens" | "-clicks" | "-automatedOpens" | "-automatedClicks" | "-bounces" | "-unsubscribes" | "-id";
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
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
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
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
                /** @description Maximum number of rows of the breakdown */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The figure to sort the breakdown by; prefix `-` for descending order. Default: `-entries` */
                sort?: "entries" | "completions" | "conversions" | "sent" | "failed" | "opens" | "clicks" | "automatedOpens" | "automatedClicks" | "bounces" | "unsubscribes" | "id" | "-entries" | "-completions" | "-conversions" | "-sent" | "-failed" | "-opens" | "-clicks" | "-automatedOpens" | "-automatedClicks" | "-bounces" | "-unsubscribes" | "-id";
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
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
                /** @description Maximum number of rows of the breakdown */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The figure to sort the breakdown by; prefix `-` for descending order. Default: `-submissions` */
                sort?: "submissions" | "views" | "id" | "-submissions" | "-views" | "-id";
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
    exportAnalytics: {
        parameters: {
            query: {
                type: "dashboard" | "campaigns" | "contacts" | "emails" | "forms";
                format?: "csv" | "pdf" | "xlsx";
                /** @description Whether a csv begins with a byte order mark, without which Excel misreads letters beyond ASCII; no effect on other formats */
                bom?: boolean;
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
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
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/pdf": Blob;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Blob;
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                /** @description The figures of the endpoint with this name */
                type?: "dashboard" | "campaigns" | "contacts" | "emails" | "forms";
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
                    "application/json": components["schemas"]["ReportList"];
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReportRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    getReport: {
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
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    updateReport: {
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
                "application/json": components["schemas"]["UpdateReportRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    deleteReport: {
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
    listReportRuns: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
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
                    "application/json": components["schemas"]["ListReportRunsItemList"];
                };
            };
        };
    };
    downloadReport: {
        parameters: {
            query?: {
                runId?: number;
                /** @description Whether a csv begins with a byte order mark, without which Excel misreads letters beyond ASCII; no effect on other formats */
                bom?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadReportAnswer"];
                    "text/csv": string;
                    "application/pdf": Blob;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Blob;
                };
            };
        };
    };
    listChannelTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "updatedAt" | "-id" | "-name" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                channel?: "sms" | "push";
                /** @description Transactional messages pass consent, topics, caps and hours */
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
                    "application/json": components["schemas"]["ChannelTemplateList"];
                };
            };
        };
    };
    createChannelTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTemplate"];
                };
            };
        };
    };
    getChannelTemplate: {
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
                    "application/json": components["schemas"]["ChannelTemplate"];
                };
            };
        };
    };
    updateChannelTemplate: {
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
                "application/json": components["schemas"]["UpdateChannelTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTemplate"];
                };
            };
        };
    };
    deleteChannelTemplate: {
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
    previewChannelTemplate: {
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
                "application/json": components["schemas"]["PreviewChannelTemplateRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelPreviewed"];
                };
            };
        };
    };
    getChannelSettings: {
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
                    "application/json": components["schemas"]["ChannelSettings"];
                };
            };
        };
    };
    updateChannelSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateChannelSettingsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelSettings"];
                };
            };
        };
    };
    checkMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckMessageRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedMessage"];
                };
            };
        };
    };
    explainMessage: {
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
                    "application/json": components["schemas"]["MessageExplanation"];
                };
            };
        };
    };
    getChannelPreferences: {
        parameters: {
            query: {
                contactId: number;
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
                    "application/json": components["schemas"]["ChannelPreferences"];
                };
            };
        };
    };
    updateChannelPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateChannelPreferencesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelPreferences"];
                };
            };
        };
    };
    listChannelProviders: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                channel?: "sms" | "push";
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
                    "application/json": components["schemas"]["ChannelProviderList"];
                };
            };
        };
    };
    createChannelProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelProviderRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelProvider"];
                };
            };
        };
    };
    getChannelProvider: {
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
                    "application/json": components["schemas"]["ChannelProvider"];
                };
            };
        };
    };
    updateChannelProvider: {
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
                "application/json": components["schemas"]["UpdateChannelProviderRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelProvider"];
                };
            };
        };
    };
    deleteChannelProvider: {
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
    testChannelProvider: {
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
                "application/json": components["schemas"]["TestChannelProviderRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedMessage"];
                };
            };
        };
    };
    receiveChannelCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken, or there was nothing to do */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listInboundTexts: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "receivedAt" | "-id" | "-receivedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                contactId?: number;
                /** @description `yes`: it opted the number out. `maybe`: a longer text with such a word; nothing was done */
                optOut?: "yes" | "no" | "maybe";
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
                    "application/json": components["schemas"]["InboundTextList"];
                };
            };
        };
    };
    listChannelSuppressions: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                channel?: "sms" | "push";
                address?: string;
                reason?: "unsubscribed" | "invalid" | "complained" | "manual";
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
                    "application/json": components["schemas"]["ChannelSuppressionList"];
                };
            };
        };
    };
    createChannelSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelSuppressionRequest"];
            };
        };
        responses: {
            /** @description It was already suppressed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelSuppression"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelSuppression"];
                };
            };
        };
    };
    getChannelSuppression: {
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
                    "application/json": components["schemas"]["ChannelSuppression"];
                };
            };
        };
    };
    deleteChannelSuppression: {
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
    getChannelAnalytics: {
        parameters: {
            query?: {
                /** @description Inclusive; rounded down to the start of its 5-minute window. A date is its beginning in `timezone` */
                from?: string;
                /** @description Exclusive; rounded up to the end of its 5-minute window. A date is its beginning in `timezone` */
                to?: string;
                interval?: "hour" | "day" | "week" | "month";
                timezone?: string;
                /** @description Only this channel */
                channel?: "email" | "sms" | "push";
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
                    "application/json": components["schemas"]["ChannelAnalytics"];
                };
            };
        };
    };
    sendText: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SendTextRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedMessage"];
                };
            };
        };
    };
    sendPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SendPushRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedMessage"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "-id" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                channel?: "sms" | "push";
                contactId?: number;
                campaignId?: number;
                status?: "QUEUED" | "SENDING" | "SENT" | "DELIVERED" | "FAILED" | "UNDELIVERED" | "SUPPRESSED" | "UNKNOWN";
                templateId?: number;
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
                    "application/json": components["schemas"]["MessageList"];
                };
            };
        };
    };
    getMessage: {
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
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    resolveMessage: {
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
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    listPushSites: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
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
                    "application/json": components["schemas"]["PushSiteList"];
                };
            };
        };
    };
    createPushSite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePushSiteRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSite"];
                };
            };
        };
    };
    getPushSite: {
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
                    "application/json": components["schemas"]["PushSite"];
                };
            };
        };
    };
    updatePushSite: {
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
                "application/json": components["schemas"]["UpdatePushSiteRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSite"];
                };
            };
        };
    };
    deletePushSite: {
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
    listPushSubscriptions: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "createdAt" | "updatedAt" | "-id" | "-createdAt" | "-updatedAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                contactId?: number;
                siteId?: number;
                type?: "webpush" | "fcm";
                status?: "active" | "gone" | "replaced";
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
                    "application/json": components["schemas"]["PushSubscriptionList"];
                };
            };
        };
    };
    createPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePushSubscriptionRequest"];
                "text/plain": components["schemas"]["CreatePushSubscriptionRequest"];
            };
        };
        responses: {
            /** @description Known before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatePushSubscriptionAnswer"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatePushSubscriptionAnswer"];
                };
            };
        };
    };
    getPushSubscription: {
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
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
        };
    };
    linkPushSubscription: {
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
                "application/json": components["schemas"]["LinkPushSubscriptionRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
        };
    };
    deletePushSubscription: {
        parameters: {
            query?: {
                /** @description Instead of a token of the API */
                token?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    reportPushEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportPushEventRequest"];
                "text/plain": components["schemas"]["ReportPushEventRequest"];
            };
        };
        responses: {
            /** @description Recorded */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "name" | "createdAt" | "-id" | "-name" | "-createdAt";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                active?: boolean;
                type?: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED";
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
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
        };
    };
    listWebhookEventTypes: {
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
                    "application/json": components["schemas"]["WebhookEventTypeList"];
                };
            };
        };
    };
    getDefaultWebhookKey: {
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
                    "application/json": components["schemas"]["DefaultWebhookKey"];
                };
            };
        };
    };
    getWebhook: {
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
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    updateWebhook: {
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
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
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
    testWebhook: {
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
                "application/json": components["schemas"]["TestWebhookRequest"];
            };
        };
        responses: {
            /** @description The attempt, whether it succeeded or not */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAttempt"];
                };
            };
        };
    };
    rotateWebhookSecret: {
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
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookKey"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page */
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
                /** @description The field to sort by; prefix `-` for descending order */
                sort?: "id" | "-id";
                /** @description Whether to return the total count in `page.total` */
                includeTotal?: boolean;
                status?: "PENDING" | "SENDING" | "DELIVERED" | "FAILED" | "HELD";
                type?: "CONTACT_CREATED" | "CONTACT_UPDATED" | "CONTACT_UNSUBSCRIBED" | "EMAIL_SENT" | "EMAIL_OPENED" | "EMAIL_CLICKED" | "EMAIL_BOUNCED" | "MESSAGE_SENT" | "MESSAGE_DELIVERED" | "MESSAGE_CLICKED" | "MESSAGE_RECEIVED" | "CHANNEL_SUBSCRIBED" | "CHANNEL_UNSUBSCRIBED" | "FORM_SUBMITTED" | "CAMPAIGN_TRIGGERED" | "CAMPAIGN_COMPLETED" | "GOAL_MET" | "SCORE_UPDATED" | "SEGMENT_ENTERED" | "SEGMENT_LEFT" | "IMPORT_COMPLETED" | "WEBSITE_VISITED" | "WEBHOOK_DISABLED";
                from?: string;
                to?: string;
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
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                deliveryId: number;
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
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                deliveryId: number;
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
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    pullWebhookEvents: {
        parameters: {
            query?: {
                /** @description The last number that is known */
                afterSequence?: number;
                limit?: number;
                /** @description The nextCursor of the previous page */
                cursor?: string;
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
                    "application/json": components["schemas"]["PullWebhookEventsItemList"];
                };
            };
        };
    };
    getWebhookProof: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
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
                    "application/json": components["schemas"]["WebhookProof"];
                };
            };
        };
    };
    replayWebhook: {
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
                "application/json": components["schemas"]["ReplayWebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    getWebhookReplay: {
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
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
}
