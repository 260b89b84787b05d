#ifndef CNETCURL_H
#define CNETCURL_H
#endif
