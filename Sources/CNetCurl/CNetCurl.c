#include "CNetCurl.h"
